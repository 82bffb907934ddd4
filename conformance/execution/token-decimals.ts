import { JsonRpcError, type Rpc } from './json-rpc.ts';
import type { Address } from './swap-plan.ts';

/** Selector of `decimals()`. */
const DECIMALS = '0x313ce567';

/**
 * Returns how many decimal places tokens say that they have; what is no token,
 * or does not say, is absent.
 */
export async function readDecimals(
  rpc: Rpc,
  tokens: Iterable<Address>,
): Promise<ReadonlyMap<Address, number>> {
  const found = await Promise.all(
    [...new Set(tokens)].map(async (token) => [token, await decimalsOf(rpc, token)] as const),
  );
  return new Map(
    found.flatMap(([token, decimals]) => (decimals === undefined ? [] : [[token, decimals]])),
  );
}

async function decimalsOf(rpc: Rpc, token: Address): Promise<number | undefined> {
  try {
    const returned = await rpc<string>('eth_call', [{ to: token, data: DECIMALS }, 'latest']);
    const isWord = /^0x[0-9a-f]{64}$/.test(returned);
    return isWord && BigInt(returned) <= 255n ? Number(BigInt(returned)) : undefined;
  } catch (error) {
    if (error instanceof JsonRpcError) return undefined;
    throw error;
  }
}
