import { describe, expect, test } from 'vitest';
import { forAll } from '../../../fixtures/testing/for-all.testing.ts';
import { constantProduct } from './constant-product.ts';
import {
  anyConstantProductPool,
  constantProductPool,
  logUniform,
  startRateOf,
  token0,
  token1,
} from './pools.testing.ts';

/* `chain.test.ts` compares random amounts with the real pair. */

const MAX_UINT112 = (1n << 112n) - 1n;
const MAX_UINT256 = (1n << 256n) - 1n;
const ONE = 10n ** 18n;

describe('constantProduct.swapExactInput', () => {
  test('an empty pair -> exhausted, with amounts of 0', () => {
    const nothing = { kind: 'exhausted', amountIn: 0n, amountOut: 0n };
    for (const pool of [constantProductPool(0n, 0n), constantProductPool(0n, 1n)]) {
      expect(constantProduct.curve(pool, token0).swapExactInput(1n)).toEqual(nothing);
      expect(constantProduct.curve(pool, token0).swapExactOutput(1n)).toEqual(nothing);
      expect(constantProduct.curve(pool, token0).segments()).toEqual([]);
    }
  });
});

describe('constantProduct.swapExactOutput', () => {
  test('a division without remainder -> the library still adds 1', () => {
    const pool = constantProductPool(100n, 200n, 0);
    expect(constantProduct.curve(pool, token0).swapExactInput(100n).amountOut).toBe(100n);
    expect(constantProduct.curve(pool, token0).swapExactOutput(100n).amountIn).toBe(101n);
  });

  test('an output equal to the reserve -> exhausted', () => {
    const pool = constantProductPool(1000n, 1000n);
    expect(constantProduct.curve(pool, token0).swapExactOutput(999n).kind).toBe('filled');
    expect(constantProduct.curve(pool, token0).swapExactOutput(1000n).kind).toBe('exhausted');
    expect(constantProduct.curve(pool, token0).swapExactOutput(MAX_UINT256).kind).toBe('exhausted');
  });

  test('an output that costs more than a reserve can hold -> exhausted', () => {
    const pool = constantProductPool(MAX_UINT112 - 10n, 1000n);
    const { kind, amountIn, amountOut } = constantProduct.curve(pool, token0).swapExactOutput(500n);
    expect([kind, amountIn, amountOut]).toEqual(['exhausted', 10n, 0n]);
  });
});

describe('constantProduct.segments', () => {
  test('reserves 5 : 10 and 0.3% -> 1.994 in one direction, 0.4985 in the other', () => {
    const pool = constantProductPool(5n * ONE, 10n * ONE);
    expect(startRateOf({ pool, tokenIn: token0, tokenOut: token1 })).toBeCloseTo(1.994, 12);
    expect(startRateOf({ pool, tokenIn: token1, tokenOut: token0 })).toBeCloseTo(0.4985, 12);
  });
});

test('any filled swap -> k does not fall', () => {
  forAll([anyConstantProductPool, logUniform(110)], { seed: 2 }, (pool, amount) => {
    const { amountIn, amountOut } = constantProduct.curve(pool, token1).swapExactInput(amount);
    const k = (pool.reserve0 - amountOut) * (pool.reserve1 + amountIn);
    expect(k >= pool.reserve0 * pool.reserve1).toBe(true);
  });
});
