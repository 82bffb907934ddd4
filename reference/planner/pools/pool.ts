import type { Address } from '../domain/address.ts';

/** Identity of a pool of any family. */
export type PoolIdentity = {
  readonly address: Address;
  /** Name of the liquidity source, as in `routes[].name`. */
  readonly source: string;
};

/** Identity of a pool of two tokens. */
export type PairIdentity = PoolIdentity & {
  /**
   * `token0 < token1`, in the order in which factories sort them. If a pool trades the native
   * token, the native token is `token0`.
   */
  readonly token0: Address;
  readonly token1: Address;
  /** Fee in millionths of the input: 3000 is 0.3%. */
  readonly feePips: number;
};

/**
 * Result of a swap in base units, exactly as the pool's contract computes it. `exhausted` means
 * that liquidity ended before the requested amount. Its amounts are the largest possible.
 */
export type SwapOutcome = {
  readonly kind: 'filled' | 'exhausted';
  readonly amountIn: bigint;
  readonly amountOut: bigint;
};

/** Returns the tokens of a pool, in the pool's order. */
export function tokensOf<Token extends string>(
  pool: { readonly token0: Token; readonly token1: Token } | { readonly tokens: readonly Token[] },
): readonly Token[] {
  return 'tokens' in pool ? pool.tokens : [pool.token0, pool.token1];
}

/**
 * Returns a unique key of a pool: its id if one contract holds many pools, otherwise its address.
 */
export function keyOf(pool: { readonly address: string; readonly poolId?: string }): string {
  return pool.poolId ?? pool.address;
}

/**
 * Returns whether a swap that sells `tokenIn` sells token0; otherwise it sells token1.
 * @throws {TokenNotInPoolError} if the pool holds no `tokenIn`
 */
export function isZeroForOne(
  { address, token0, token1 }: Pick<PairIdentity, 'address' | 'token0' | 'token1'>,
  tokenIn: Address,
): boolean {
  if (tokenIn === token0) return true;
  if (tokenIn === token1) return false;
  throw new TokenNotInPoolError(address, tokenIn);
}

/** Thrown for a swap of a token that the pool does not hold. */
export class TokenNotInPoolError extends Error {
  override readonly name = 'TokenNotInPoolError';

  constructor(pool: Address, token: Address) {
    super(`pool ${pool} holds no ${token}`);
  }
}
