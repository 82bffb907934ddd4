import { JsonRpcError } from '../node/json-rpc.ts';

/**
 * Errors of a transaction in `eth_simulateV1`: its nonce, fees, gas limit, funds, sender or init
 * code. Every other error concerns the request or the node.
 *
 * @see https://ethereum.github.io/execution-apis
 */
const REJECTIONS: ReadonlySet<number | undefined> = new Set([
  -38_010, -38_011, -38_012, -38_013, -38_014, -38_024, -38_025,
]);
/** Anvil and some nodes report such errors under general codes. */
const REJECTION_WORDS =
  /intrinsic gas|floor data gas|CallGasCostMoreThanGasLimit|insufficient funds|nonce too (low|high)|less than block base fee/i;

/** Returns whether a node rejects a transaction because of the transaction itself. */
export function isRejection(error: unknown): error is JsonRpcError {
  if (!(error instanceof JsonRpcError)) return false;
  return REJECTIONS.has(error.code) || REJECTION_WORDS.test(error.message);
}
