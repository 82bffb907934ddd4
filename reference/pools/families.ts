import type { Address } from '../domain/address.ts';
import { concentrated } from './concentrated.ts';
import { constantProduct } from './constant-product.ts';
import type { Pool, SwapOutcome } from './pool.ts';

/*
 * The one place that knows every family: a pool's own maths, by its `family`.
 * `amountIn` and `amountOut` are above 0; all throw `TokenNotInPoolError`.
 */

/** Returns what selling exactly `amountIn` of `tokenIn` to the pool buys; rounded down. */
export function swapExactInput(pool: Pool, tokenIn: Address, amountIn: bigint): SwapOutcome {
  switch (pool.family) {
    case 'constant-product':
      return constantProduct.swapExactInput(pool, tokenIn, amountIn);
    case 'concentrated':
      return concentrated.swapExactInput(pool, tokenIn, amountIn);
  }
}

/** Returns what buying exactly `amountOut` for `tokenIn` costs; rounded up. */
export function swapExactOutput(pool: Pool, tokenIn: Address, amountOut: bigint): SwapOutcome {
  switch (pool.family) {
    case 'constant-product':
      return constantProduct.swapExactOutput(pool, tokenIn, amountOut);
    case 'concentrated':
      return concentrated.swapExactOutput(pool, tokenIn, amountOut);
  }
}

/** Returns output per input of an infinitesimal sale of `tokenIn`, in base units, fee taken; 0 if nothing can be bought. */
export function marginalPrice(pool: Pool, tokenIn: Address): number {
  switch (pool.family) {
    case 'constant-product':
      return constantProduct.marginalPrice(pool, tokenIn);
    case 'concentrated':
      return concentrated.marginalPrice(pool, tokenIn);
  }
}

/** Returns the pool after what it takes of `amountIn` went in. */
export function afterExactInput(pool: Pool, tokenIn: Address, amountIn: bigint): Pool {
  switch (pool.family) {
    case 'constant-product':
      return constantProduct.afterExactInput(pool, tokenIn, amountIn);
    case 'concentrated':
      return concentrated.afterExactInput(pool, tokenIn, amountIn);
  }
}
