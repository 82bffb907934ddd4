import { describe, expect, test } from 'vitest';
import { forAll } from '../../../fixtures/testing/for-all.testing.ts';
import { directionsOf, familyOf, type Pool, swapExactInput } from './families.ts';
import { anyStablePool, anyWeightedPool } from './pools.testing.ts';
import type { Segment } from './segment.ts';

function outputAlong(segments: readonly Segment[], input: number): number {
  let left = input;
  let output = 0;
  for (const { depthIn, depthOut, span } of segments) {
    const taken = Math.min(left, depthIn * Math.expm1(span));
    output += (depthOut * taken) / (depthIn + taken);
    left -= taken;
  }
  return output;
}

describe.each([
  ['stable', anyStablePool],
  ['weighted', anyWeightedPool],
] as const)('fitSegments of a %s pool', (_, pools) => {
  test('any amount -> at least the output of the pool, and little more', () => {
    forAll([pools], { numRuns: 60, seed: 20_260_101 }, (pool: Pool) => {
      for (const direction of directionsOf(pool).slice(0, 4)) {
        const segments = familyOf(pool)
          .curve(pool, direction.tokenIn, direction.tokenOut)
          .segments();
        if (!('balances' in pool)) continue;
        const held = Number(pool.balances[pool.tokens.indexOf(direction.tokenIn)]);
        for (const part of [1e-4, 0.003, 0.05, 0.2, 0.7, 3]) {
          const amount = BigInt(Math.ceil(held * part));
          const { kind, amountOut } = swapExactInput(direction, amount);
          if (kind === 'exhausted') continue;
          // The pool rounds its fee up to a base unit and its output down.
          const minOutput = outputAlong(segments, Number(amount) - 2);
          const upper = outputAlong(segments, Number(amount));
          expect(upper).toBeGreaterThanOrEqual(Number(amountOut) * (1 - 1e-12));
          expect(minOutput * (1 - 2e-5)).toBeLessThanOrEqual(Number(amountOut) + 2);
        }
      }
    });
  });

  test('any pool -> each segment starts at a rate no higher than the end of the previous segment', () => {
    forAll([pools], { numRuns: 60, seed: 20_260_101 }, (pool: Pool) => {
      for (const { tokenIn, tokenOut } of directionsOf(pool).slice(0, 4)) {
        let end = Number.POSITIVE_INFINITY;
        for (const segment of familyOf(pool).curve(pool, tokenIn, tokenOut).segments()) {
          expect(segment.span).toBeGreaterThan(0);
          expect(segment.logRate).toBeLessThanOrEqual(end + 1e-12);
          end = segment.logRate - 2 * segment.span;
        }
      }
    });
  });
});
