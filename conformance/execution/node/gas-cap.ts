import { JsonRpcError, quantity, type Rpc } from './json-rpc.ts';

/** Maximum gas limit of a transaction under EIP-7825. */
export const TRANSACTION_GAS_CAP = 1n << 24n;
const ENDLESS_CREATION_CODE = '0x5b600056';

/**
 * Returns the maximum gas limit of a transaction on a node's chain; undefined if the node reports
 * none. No method returns the limit. But when a node estimates the gas of an endless call, its
 * error reports the allowance. The call requests more than the cap, so the allowance equals the
 * cap, if there is one.
 *
 * @see https://eips.ethereum.org/EIPS/eip-7825
 */
export async function readGasCap(rpc: Rpc): Promise<bigint | undefined> {
  const endless = { data: ENDLESS_CREATION_CODE, gas: quantity(TRANSACTION_GAS_CAP + 1n) };
  try {
    await rpc('eth_estimateGas', [endless]);
  } catch (error) {
    if (!(error instanceof JsonRpcError)) throw error;
    return new RegExp(`\\b(${TRANSACTION_GAS_CAP}|${quantity(TRANSACTION_GAS_CAP)})\\b`).test(
      error.message,
    )
      ? TRANSACTION_GAS_CAP
      : undefined;
  }
  return undefined;
}
