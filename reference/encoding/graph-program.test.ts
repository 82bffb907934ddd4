import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forAll } from '../../fixtures/testing/for-all.testing.ts';
import { anyPlan } from '../contracts/plans.testing.ts';
import { parseMarket } from '../market/parse-market.ts';
import type { RoutingPlan } from '../planner/graph/plan.ts';
import { PlanTooLargeError } from './encoder.ts';
import { CyclicPlanError, encodeProgram } from './graph-program.ts';
import { maxSoldFor, minBoughtFor } from './slippage.ts';

const require = createRequire(import.meta.url);
const market = parseMarket(require('#fixtures/markets/31337.json'));
const plans = anyPlan(market);
const runs = { numRuns: 200, seed: 5 };

const field = (hop: bigint, shift: bigint) => Number((hop >> shift) & 0xffn);

describe(encodeProgram, () => {
  test('swaps in reverse order -> a program in topological order', () => {
    forAll([plans], runs, (plan) => {
      const shuffled = encodeProgram({ ...plan, swaps: plan.swaps.toReversed() });
      expect(shuffled.swaps.length).toBe(plan.swaps.length);
      const order = shuffled.swaps.map(({ hop }) => [field(hop, 160n), field(hop, 168n)]);
      for (const [i, [tokenIn]] of order.entries()) {
        expect(order.slice(i).every(([, tokenOut]) => tokenOut !== tokenIn)).toBe(true);
      }
    });
  });

  test('a cycle of tokens -> CyclicPlanError; an amount of 2^128 -> PlanTooLargeError', () => {
    const [plan] = fc.sample(plans, { numRuns: 1, seed: 1 }) as [RoutingPlan];
    const [swap] = plan.swaps;
    if (swap === undefined) throw new Error('a plan without swaps');
    const back = { ...swap, tokenIn: swap.tokenOut, tokenOut: swap.tokenIn };
    expect(() => encodeProgram({ ...plan, swaps: [swap, back] })).toThrow(CyclicPlanError);
    const huge = { ...swap, amountIn: 1n << 128n, amountOut: 1n << 128n };
    expect(() => encodeProgram({ ...plan, swaps: [huge] })).toThrow(PlanTooLargeError);
    const many = Array.from({ length: 255 }, () => swap);
    expect(() => encodeProgram({ ...plan, swaps: many })).toThrow(PlanTooLargeError);
  });
});

describe('slippage', () => {
  test.each([
    [0, 1001n, 1001n],
    [1, 1001n, 1001n],
    [50, 996n, 1006n],
    [10_000, 0n, 2002n],
  ])(
    '1001 base units, a tolerance of %i basis points -> at least %i bought, or at most %i sold',
    (bps, minBought, maxSold) => {
      expect([minBoughtFor(1001n, bps), maxSoldFor(1001n, bps)]).toEqual([minBought, maxSold]);
    },
  );
});
