import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forAll } from '../../scripts/for-all.testing.ts';
import { solvePositiveDefinite } from './cholesky.ts';
import { solveDual } from './dual-solver.ts';
import { hopFlowsAt } from './hop-flows.ts';
import { pathsOf } from './path.ts';
import { curveOf, outputOf } from './path-curve.ts';
import {
  anyFairMarket,
  anyMarket,
  marketOf,
  pairPool,
  problemOf,
  tradedPair,
} from './routing.testing.ts';

const anyInput = fc.integer({ min: 150, max: 230 }).map((size) => 10 ** (size / 10));

describe('solveDual', () => {
  test('one pool -> what the pool gives', () => {
    const problem = problemOf(marketOf([pairPool([0, 3], 10n ** 20n, 10n ** 21n)]));
    const { bound, residual } = solveDual(problem, 1e19);
    expect(bound).toBeCloseTo((1e19 * 0.997 * 1e21) / (1e20 + 1e19 * 0.997), -8);
    expect(residual).toBeLessThan(1e-9);
  });

  test('any market -> no less than the best single path', () => {
    forAll([anyMarket, anyInput], { seed: 2 }, (market, input) => {
      const problem = problemOf(market);
      fc.pre(problem.hops.length > 0);
      const { bound } = solveDual(problem, input);
      const paths = pathsOf(tradedPair(market));
      for (const path of paths) {
        expect(bound).toBeGreaterThan(outputOf(curveOf(path), input) * (1 - 1e-9));
      }
    });
  });

  test('any market, from a hair to far beyond what it holds -> balanced', () => {
    const anyDrain = fc.integer({ min: 190, max: 320 }).map((size) => 10 ** (size / 10));
    forAll([anyMarket, anyDrain], { seed: 9, numRuns: 500 }, (market, input) => {
      const problem = problemOf(market);
      fc.pre(problem.hops.length > 0);
      expect(solveDual(problem, input).residual).toBeLessThan(1e-6);
    });
  });

  test('fair markets -> the hops at these values carry the input, and yield the bound', () => {
    forAll([anyFairMarket, anyInput], { seed: 10 }, (market, input) => {
      const problem = problemOf(market);
      fc.pre(problem.hops.length > 0 && input > 1e18);
      const { logValues, bound } = solveDual(problem, input);
      const { inputs, profits, shares, spilled } = hopFlowsAt(problem, input, logValues, new Set());
      fc.pre(spilled.every((part) => part < 1e-6));
      const sold = inputs.filter((_, hop) => problem.hopIn[hop] === 0);
      expect(sold.reduce((sum, amount) => sum + amount, 0) / input).toBeCloseTo(1, 6);
      const price = Math.exp((logValues[0] ?? 0) + (problem.bestLogValue[0] ?? 0));
      const worth = profits.reduce((sum, profit) => sum + profit, input * price);
      expect(worth / bound).toBeCloseTo(1, 9);
      expect(Math.min(...shares)).toBeGreaterThanOrEqual(0);
    });
  });

  test('a start near by -> the same solution', () => {
    forAll([anyFairMarket, anyInput], { seed: 11 }, (market, input) => {
      const problem = problemOf(market);
      fc.pre(problem.hops.length > 0 && input > 1e18);
      const near = solveDual(problem, input * 1.1);
      const { bound } = solveDual(problem, input, { start: near.logValues });
      expect(bound / solveDual(problem, input).bound).toBeCloseTo(1, 9);
    });
  });
});

describe('solvePositiveDefinite', () => {
  test('A = B B^T + I -> A x is the vector', () => {
    const entry = fc.double({ min: -3, max: 3, noNaN: true });
    const size = 4;
    forAll(
      [
        fc.array(entry, { minLength: 16, maxLength: 16 }),
        fc.array(entry, { minLength: 4, maxLength: 4 }),
      ],
      { seed: 3 },
      (b, vector) => {
        const matrix = Float64Array.from({ length: 16 }, (_, at) => {
          const [row, column] = [Math.floor(at / size), at % size];
          const dot = [0, 1, 2, 3].reduce(
            (sum, k) => sum + (b[row * size + k] ?? 0) * (b[column * size + k] ?? 0),
            0,
          );
          return dot + (row === column ? 1 : 0);
        });
        const x = Float64Array.from(vector);
        solvePositiveDefinite(matrix.slice(), size, x);
        for (const [row, expected] of vector.entries()) {
          const product = x.reduce(
            (sum, value, k) => sum + value * (matrix[row * size + k] ?? 0),
            0,
          );
          expect(product).toBeCloseTo(expected, 8);
        }
      },
    );
  });
});
