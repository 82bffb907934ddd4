import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forAll } from '../../../fixtures/testing/for-all.testing.ts';
import type { Address } from '../domain/address.ts';
import type { FamilyName, Pool } from './families.ts';
import { swapExactInput, swapExactOutput } from './families.ts';
import {
  anyConcentratedPool,
  anyConstantProductPool,
  anyMakerOrderPool,
  anySingletonPool,
  anyStablePool,
  anyWeightedPool,
  heldOf,
  logUniform,
  poolAfter,
  roundingOf,
  startRateOf,
  token0,
  token1,
} from './pools.testing.ts';

const MAX_UINT256 = (1n << 256n) - 1n;

/**
 * Maximum difference in base units between the two sides of a swap. `held` is the pool's balance of
 * the token.
 */
type Slack = (held: bigint) => bigint;
const none: Slack = () => 0n;

type Laws = {
  readonly pools: fc.Arbitrary<Pool>;
  readonly exactOutputSlack: Slack;
  readonly exactInputSlack: Slack;
  readonly takesRests?: boolean;
};

const toTheUnit = { exactOutputSlack: none, exactInputSlack: none };
const likeTheVault = { exactOutputSlack: roundingOf, exactInputSlack: roundingOf };

const families: Readonly<Record<FamilyName, Laws>> = {
  // UniswapV2Library adds 1 even if the division leaves no remainder.
  'constant-product': { ...toTheUnit, pools: anyConstantProductPool, exactOutputSlack: () => 1n },
  concentrated: { ...toTheUnit, pools: anyConcentratedPool },
  // If the rest of a range yields only one more unit, the contract takes the whole rest of the
  // input for that unit.
  singleton: { ...toTheUnit, pools: anySingletonPool, takesRests: true },
  stable: { ...likeTheVault, pools: anyStablePool },
  weighted: { ...likeTheVault, pools: anyWeightedPool },
  'maker-order': { ...toTheUnit, pools: anyMakerOrderPool },
};

const direction = fc.constantFrom(
  { tokenIn: token0, tokenOut: token1 },
  { tokenIn: token1, tokenOut: token0 },
);
/** Direction of a swap back through the pool in its state after the first swap. */
const backwards = (pool: Pool, { tokenIn, tokenOut }: { tokenIn: Address; tokenOut: Address }) => ({
  pool,
  tokenIn: tokenOut,
  tokenOut: tokenIn,
});
const settings = { numRuns: process.env['SWAPCHECK_LONG'] === '1' ? 1_000 : 80, seed: 20_260_101 };

describe.each(Object.entries(families))(
  '%s',
  (_, { pools, exactOutputSlack, exactInputSlack, takesRests = false }) => {
    // Amounts are relative to the pool's depth. Therefore, most swaps are filled and cross ticks.
    const anySwap = fc.tuple(pools, direction).chain(([pool, way]) => {
      const largest = swapExactInput({ pool, ...way }, MAX_UINT256);
      return fc.record({
        pool: fc.constant(pool),
        way: fc.constant(way),
        amount: logUniform(Math.max(1, largest.amountIn.toString(2).length + 2)),
        other: logUniform(Math.max(1, largest.amountIn.toString(2).length + 2)),
      });
    });

    // All laws share the samples, because drawing them takes most of the time.
    const drawn = { ...settings, examples: fc.sample(fc.tuple(anySwap), settings) };

    test('exact input -> no negative amounts; a filled swap takes exactly the amount, an exhausted one less', () => {
      forAll([anySwap], drawn, ({ pool, way, amount }) => {
        const swap = swapExactInput({ pool, ...way }, amount);
        expect(swap.amountOut >= 0n).toBe(true);
        expect(swap.amountIn >= 0n).toBe(true);
        expect(swap.kind === 'filled' ? swap.amountIn === amount : swap.amountIn < amount).toBe(
          true,
        );
      });
    });

    test('exact output -> no negative amounts; a filled swap pays exactly the amount, an exhausted one less', () => {
      forAll([anySwap], drawn, ({ pool, way, amount }) => {
        const swap = swapExactOutput({ pool, ...way }, amount);
        expect(swap.amountOut >= 0n).toBe(true);
        if (swap.kind === 'filled') {
          expect(swap.amountOut).toBe(amount);
          expect(swap.amountIn > 0n).toBe(true);
        } else {
          expect(swap.amountOut < amount).toBe(true);
        }
      });
    });

    test('a larger amount -> no smaller output, no lower cost', () => {
      forAll([anySwap], drawn, ({ pool, way, amount, other }) => {
        const [less, more] = amount < other ? [amount, other] : [other, amount];
        const sold = (amountIn: bigint) => swapExactInput({ pool, ...way }, amountIn).amountOut;
        const cost = (amountOut: bigint) => swapExactOutput({ pool, ...way }, amountOut).amountIn;
        expect(sold(less) <= sold(more)).toBe(true);
        expect(cost(less) <= cost(more)).toBe(true);
      });
    });

    test('exhausted -> the reported input can be sold, and any larger amount has the same result', () => {
      forAll([pools, direction], settings, (pool, way) => {
        const largest = swapExactInput({ pool, ...way }, MAX_UINT256);
        expect(largest.kind).toBe('exhausted');
        expect(swapExactInput({ pool, ...way }, largest.amountIn + 1n)).toEqual(largest);
        expect(swapExactOutput({ pool, ...way }, MAX_UINT256)).toEqual(largest);
        fc.pre(largest.amountIn > 0n);
        expect(swapExactInput({ pool, ...way }, largest.amountIn)).toEqual({
          ...largest,
          kind: 'filled',
        });
        fc.pre(largest.amountOut > 0n);
        const bought = swapExactOutput({ pool, ...way }, largest.amountOut);
        // For the last unit, the contract takes the whole rest of a range. That may exceed the
        // amounts that the contract can represent.
        const isRest = () =>
          largest.amountOut === 1n ||
          swapExactOutput({ pool, ...way }, largest.amountOut - 1n).kind === 'filled';
        expect(bought.kind === 'filled' || (takesRests && isRest())).toBe(true);
      });
    });

    test('a swap and its reverse -> no profit', () => {
      forAll([anySwap], drawn, ({ pool, way, amount }) => {
        const there = swapExactInput({ pool, ...way }, amount);
        fc.pre(there.kind === 'filled' && there.amountOut > 0n);
        const after = poolAfter({ pool, ...way }, amount);
        const back = swapExactInput(backwards(after, way), there.amountOut);
        expect(back.amountOut <= amount).toBe(true);
      });
    });

    test('exact output of the amount that an exact input bought -> costs no more than that input, except for rounding', () => {
      forAll([anySwap], drawn, ({ pool, way, amount }) => {
        const sold = swapExactInput({ pool, ...way }, amount);
        fc.pre(sold.kind === 'filled' && sold.amountOut > 0n);
        const bought = swapExactOutput({ pool, ...way }, sold.amountOut);
        expect(bought.kind).toBe('filled');
        const slack = exactOutputSlack(heldOf(pool, way.tokenIn) + amount);
        const isRest = () =>
          swapExactInput({ pool, ...way }, bought.amountIn).amountOut === sold.amountOut;
        expect(bought.amountIn <= amount + slack || (takesRests && isRest())).toBe(true);
      });
    });

    test('exact input of the amount that an exact output cost -> buys at least that output', () => {
      forAll([anySwap], drawn, ({ pool, way, amount }) => {
        const bought = swapExactOutput({ pool, ...way }, amount);
        fc.pre(bought.kind === 'filled');
        const sold = swapExactInput({ pool, ...way }, bought.amountIn);
        expect(sold.kind).toBe('filled');
        const slack = exactInputSlack(heldOf(pool, way.tokenOut));
        expect(sold.amountOut + slack >= amount).toBe(true);
      });
    });

    test('an amount split over two swaps -> no larger output than in one', () => {
      forAll([anySwap], drawn, ({ pool, way, amount, other }) => {
        const whole = swapExactInput({ pool, ...way }, amount + other);
        fc.pre(whole.kind === 'filled');
        const first = swapExactInput({ pool, ...way }, amount);
        const after = poolAfter({ pool, ...way }, amount);
        const second = swapExactInput({ pool: after, ...way }, other);
        const slack = exactInputSlack(heldOf(pool, way.tokenOut));
        expect(first.amountOut + second.amountOut <= whole.amountOut + slack).toBe(true);
      });
    });

    test('any amount -> no better rate than the marginal price', () => {
      forAll([anySwap], drawn, ({ pool, way, amount }) => {
        const swap = swapExactInput({ pool, ...way }, amount);
        const price = startRateOf({ pool, ...way });
        const bound = Number(swap.amountIn) * price * (1 + 1e-9);
        expect(Number(swap.amountOut)).toBeLessThanOrEqual(bound);
      });
    });

    test('after a swap -> the marginal price has not risen, and the old state is unchanged', () => {
      forAll([anySwap], drawn, ({ pool, way, amount }) => {
        fc.pre(swapExactInput({ pool, ...way }, amount).kind === 'filled');
        const before = { ...pool };
        const after = poolAfter({ pool, ...way }, amount);
        expect(startRateOf({ pool: after, ...way })).toBeLessThanOrEqual(
          startRateOf({ pool, ...way }) * (1 + 1e-9),
        );
        expect(pool).toEqual(before);
      });
    });
  },
);
