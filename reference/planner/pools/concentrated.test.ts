import { describe, expect, test } from 'vitest';
import { parseAddress } from '../domain/address.ts';
import { concentrated } from './concentrated.ts';
import { TokenNotInPoolError } from './pool.ts';
import { concentratedPool, poolAfter, startRateOf, token0, token1 } from './pools.testing.ts';
import { stepToTarget } from './swap-step.ts';
import { MAX_TICK, MIN_TICK, sqrtRatioAtTick } from './tick-math.ts';

const MAX_UINT256 = (1n << 256n) - 1n;
const ONE = 10n ** 18n;
const priceOne = 1n << 96n;
// The words of these ticks end inside the range, so swaps also stop between the ends of the range.
const wide = concentratedPool([{ lower: -60_000, upper: 60_000, liquidity: ONE }], priceOne);

/*
 * The expected amounts come from `UniswapV3Pool.swap`. `singleton-chain.long.test.ts` compares
 * random pools and amounts with a contract.
 */

describe('concentrated.swapExactInput', () => {
  test('a word that ends without a tick -> the swap stops and rounds there, and yields less than a single step', () => {
    const tiny = concentratedPool([{ lower: -60_000, upper: 60_000, liquidity: 10n }], priceOne);
    const oneStep = stepToTarget(
      { sqrtPriceX96: priceOne, liquidity: 10n, zeroForOne: true, feePips: 3000n },
      sqrtRatioAtTick(-60_000),
    );
    expect(oneStep.amountOut).toBe(9n);
    const swap = concentrated.curve(tiny, token0).swapExactInput(MAX_UINT256);
    expect(swap).toEqual({ kind: 'exhausted', amountIn: 196n, amountOut: 8n });
  });

  test('liquidity so large that the precise price overflows a uint256 -> the coarse price, as in the contract', () => {
    const lower = -16_383 * 54;
    const pool = concentratedPool(
      [{ lower, upper: -lower, liquidity: 1n << 127n }],
      sqrtRatioAtTick(880_000),
      { tickSpacing: 16_383 },
    );
    const amount = (1n << 100n) + 12_345n;
    expect(concentrated.curve(pool, token0).swapExactInput(amount)).toEqual({
      kind: 'filled',
      amountIn: amount,
      amountOut: 2181781570230186809920251013058085200912213594145921433600n,
    });
  });

  test('2^256 - 1 into liquidity at every tick, spacing 1 -> exhausted, one step per word of the bitmap', () => {
    const full = concentratedPool(
      [{ lower: MIN_TICK, upper: MAX_TICK, liquidity: (1n << 128n) - 1n }],
      priceOne,
      { feePips: 100, tickSpacing: 1 },
    );
    let reads = 0;
    const ticks = new Proxy(full.ticks, {
      get: (target, key) => {
        reads += 1;
        return Reflect.get(target, key);
      },
    });
    const watched = { ...full, ticks };
    const swap = concentrated.curve(watched, token0).swapExactInput(MAX_UINT256);
    expect(swap).toEqual({
      kind: 'exhausted',
      amountIn: 6277493542939479893592810159916138986749002093489218554904n,
      amountOut: 340282366920938463444927169961358520950n,
    });
    expect(concentrated.curve(watched, token1).swapExactInput(MAX_UINT256).kind).toBe('exhausted');
    const words = (MAX_TICK - MIN_TICK) / 256;
    expect(reads).toBeLessThan(words * 1.01);
  });

  test('no liquidity in this direction -> exhausted, with amounts of 0', () => {
    const above = concentratedPool([{ lower: 600, upper: 1200, liquidity: ONE }], priceOne);
    const nothing = { kind: 'exhausted', amountIn: 0n, amountOut: 0n };
    expect(concentrated.curve(above, token0).swapExactInput(1n)).toEqual(nothing);
    expect(concentrated.curve(above, token0).swapExactOutput(1n)).toEqual(nothing);
    expect(concentrated.curve(above, token0).segments()).toEqual([]);
    expect(concentrated.curve(above, token1).swapExactInput(1000n).kind).toBe('filled');
  });

  test('a token that the pool does not hold -> TokenNotInPoolError', () => {
    const other = parseAddress(`0x${'3'.repeat(40)}`);
    expect(() => concentrated.curve(wide, other).swapExactInput(1n)).toThrow(TokenNotInPoolError);
  });
});

describe('priceAfter', () => {
  test('a swap that ends exactly at a tick -> crosses the tick', () => {
    const pool = concentratedPool(
      [
        { lower: -600, upper: 600, liquidity: ONE },
        { lower: -60, upper: 60, liquidity: ONE },
      ],
      priceOne,
    );
    const narrow = concentratedPool([{ lower: -60, upper: 60, liquidity: 2n * ONE }], priceOne);
    const toTick = concentrated.curve(narrow, token0).swapExactInput(MAX_UINT256).amountIn;
    const after = poolAfter({ pool, tokenIn: token0, tokenOut: token1 }, toTick);
    expect(after).toMatchObject({
      sqrtPriceX96: sqrtRatioAtTick(-60),
      tick: -61,
      liquidity: ONE,
    });
    const before = poolAfter({ pool, tokenIn: token0, tokenOut: token1 }, toTick - 1n);
    expect(before.liquidity).toBe(2n * ONE);
  });
});

describe('concentrated.segments', () => {
  test('price 4 and 0.3% -> 3.988 for token0, 0.24925 for token1', () => {
    const pool = concentratedPool([{ lower: -60_000, upper: 60_000, liquidity: ONE }], 2n << 96n);
    expect(startRateOf({ pool, tokenIn: token0, tokenOut: token1 })).toBeCloseTo(3.988, 12);
    expect(startRateOf({ pool, tokenIn: token1, tokenOut: token0 })).toBeCloseTo(0.24925, 12);
  });

  test('a price beyond all ranges -> the price at which liquidity begins', () => {
    const pool = concentratedPool([{ lower: 600, upper: 1200, liquidity: ONE }], priceOne);
    expect(startRateOf({ pool, tokenIn: token1, tokenOut: token0 })).toBeCloseTo(
      0.997 / 1.0001 ** 600,
      9,
    );
  });
});
