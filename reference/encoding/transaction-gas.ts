const TRANSACTION_GAS = 21_000;
const ZERO_BYTE_GAS = 4;
const OTHER_BYTE_GAS = 16;

/** Returns the gas of any transaction with that calldata, before anything runs. */
export function transactionGas(calldata: string): number {
  let gas = TRANSACTION_GAS;
  for (let at = 2; at < calldata.length; at += 2) {
    gas += calldata.startsWith('00', at) ? ZERO_BYTE_GAS : OTHER_BYTE_GAS;
  }
  return gas;
}
