import { JsonRpcError, quantity, type Rpc } from './json-rpc.ts';

/** The most gas that a transaction may be given where EIP-7825 is in force. */
export const TRANSACTION_GAS_CAP = 1n << 24n;
/** Creation code that goes round until its gas is spent. */
const ENDLESS = '0x5b600056';

/**
 * Returns the most gas that a transaction may be given on a node's chain, or
 * undefined where the node names no cap. No method tells it; but asked for the
 * gas of what never ends, a node names how much it would allow: more than the
 * cap was asked for, so it is the cap that it names, if there is one.
 *
 * @see https://eips.ethereum.org/EIPS/eip-7825
 */
export async function readGasCap(rpc: Rpc): Promise<bigint | undefined> {
  const endless = { data: ENDLESS, gas: quantity(TRANSACTION_GAS_CAP + 1n) };
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
