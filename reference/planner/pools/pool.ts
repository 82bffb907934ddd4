import type { Address } from '../domain/address.ts';

/** What every pool has, whatever its curve. */
export type PoolIdentity = {
  readonly address: Address;
  /** Name of the liquidity source, as it stands in `routes[].name`. */
  readonly source: string;
};

/** What a pool of just two tokens has. */
export type PairIdentity = PoolIdentity & {
  /** `token0 < token1`, as the factories sort them; of a pool that trades native, that comes first. */
  readonly token0: Address;
  readonly token1: Address;
  /** Fee in millionths of the input: 3000 is 0.3 %. */
  readonly feePips: number;
};

/**
 * What a pool does with an amount, in base units and exactly as its contract
 * would. `exhausted` means that the liquidity ended first: the amounts are then
 * the most that the pool takes and gives.
 */
export type SwapOutcome = {
  readonly kind: 'filled' | 'exhausted';
  readonly amountIn: bigint;
  readonly amountOut: bigint;
};

/** Returns the tokens that a pool trades with one another, as it sorts them. */
export function tokensOf<Token extends string>(
  pool: { readonly token0: Token; readonly token1: Token } | { readonly tokens: readonly Token[] },
): readonly Token[] {
  return 'tokens' in pool ? pool.tokens : [pool.token0, pool.token1];
}

/** Returns what no two pools share: their address, or where one contract holds many, their name there. */
export function keyOf(pool: { readonly address: string; readonly poolId?: string }): string {
  return pool.poolId ?? pool.address;
}

/**
 * Returns whether a swap that sells `tokenIn` sells token0 (`true`) or token1.
 *
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

/** Thrown when a pool is asked to swap a token that it does not hold. */
export class TokenNotInPoolError extends Error {
  override readonly name = 'TokenNotInPoolError';

  constructor(pool: Address, token: Address) {
    super(`pool ${pool} holds no ${token}`);
  }
}
