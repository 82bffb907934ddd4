import type { Address } from '../domain/address.ts';
import type { Pool } from './pool.ts';

/**
 * Returns whether a swap that sells `tokenIn` sells token0 (`true`) or token1.
 *
 * @throws {TokenNotInPoolError} if the pool holds no `tokenIn`
 */
export function isZeroForOne(pool: Pool, tokenIn: Address): boolean {
  if (tokenIn === pool.token0) return true;
  if (tokenIn === pool.token1) return false;
  throw new TokenNotInPoolError(pool.address, tokenIn);
}

/** Thrown when a pool is asked to swap a token that it does not hold. */
export class TokenNotInPoolError extends Error {
  override readonly name = 'TokenNotInPoolError';

  constructor(pool: Address, token: Address) {
    super(`pool ${pool} holds no ${token}`);
  }
}
