import type { Address } from '../domain/address.ts';
import { concentrated } from './concentrated.ts';
import { constantProduct } from './constant-product.ts';
import type { Pool, PoolFamily, SwapOutcome } from './pool.ts';

type Families = { readonly [Name in Pool['family']]: PoolFamily<Extract<Pool, { family: Name }>> };

/** Every family of pools: one line a family. */
const FAMILIES: Families = {
  'constant-product': constantProduct,
  concentrated,
};

/* Below, `amountIn` and `amountOut` are above 0; all throw `TokenNotInPoolError`. */

function familyOf(pool: Pool): PoolFamily<Pool> {
  return FAMILIES[pool.family] as PoolFamily<Pool>;
}

/** Returns what selling exactly `amountIn` of `tokenIn` to the pool buys; rounded down. */
export function swapExactInput(pool: Pool, tokenIn: Address, amountIn: bigint): SwapOutcome {
  return familyOf(pool).swapExactInput(pool, tokenIn, amountIn);
}

/** Returns what buying exactly `amountOut` for `tokenIn` costs; rounded up. */
export function swapExactOutput(pool: Pool, tokenIn: Address, amountOut: bigint): SwapOutcome {
  return familyOf(pool).swapExactOutput(pool, tokenIn, amountOut);
}

/** Returns output per input of an infinitesimal sale of `tokenIn`, in base units, fee taken; 0 if nothing can be bought. */
export function marginalPrice(pool: Pool, tokenIn: Address): number {
  return familyOf(pool).marginalPrice(pool, tokenIn);
}

/** Returns the pool after what it takes of `amountIn` went in. */
export function afterExactInput(pool: Pool, tokenIn: Address, amountIn: bigint): Pool {
  return familyOf(pool).afterExactInput(pool, tokenIn, amountIn);
}
