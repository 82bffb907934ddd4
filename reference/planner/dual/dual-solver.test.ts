import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forAll } from '../../../fixtures/testing/for-all.testing.ts';
import { outputOf } from '../paths/path-curve.ts';
import {
  allPathsOf,
  anyFairMarket,
  anyMarket,
  marketOf,
  pairPool,
  problemOf,
} from '../planner.testing.ts';
import { arcFlowsAt } from './arc-flows.ts';
import { solveDual } from './dual-solver.ts';
import { solveSymmetric } from './solve-symmetric.ts';

const anyInput = fc.integer({ min: 150, max: 230 }).map((size) => 10 ** (size / 10));

describe('solveDual', () => {
  test('one pool -> its output', () => {
    const problem = problemOf(marketOf([pairPool([0, 3], 10n ** 20n, 10n ** 21n)]));
    const { bound, residual } = solveDual(problem, 1e19);
    expect(bound).toBeCloseTo((1e19 * 0.997 * 1e21) / (1e20 + 1e19 * 0.997), -8);
    expect(residual).toBeLessThan(1e-9);
  });

  test('any market -> no less than the best single path', () => {
    forAll([anyMarket, anyInput], { seed: 2 }, (market, input) => {
      const problem = problemOf(market);
      fc.pre(problem.arcs.length > 0);
      const { bound } = solveDual(problem, input);
      const paths = allPathsOf(market);
      for (const path of paths) {
        expect(bound).toBeGreaterThan(outputOf(path.curve, input) * (1 - 1e-9));
      }
    });
  });

  test('any market, amounts from tiny to far beyond its holdings -> balanced', () => {
    const anyDrain = fc.integer({ min: 190, max: 320 }).map((size) => 10 ** (size / 10));
    forAll([anyMarket, anyDrain], { seed: 9, numRuns: 500 }, (market, input) => {
      const problem = problemOf(market);
      fc.pre(problem.arcs.length > 0);
      expect(solveDual(problem, input).residual).toBeLessThan(1e-6);
    });
  });

  test('fair markets -> the arcs at the dual prices carry the input and yield the bound', () => {
    forAll([anyFairMarket, anyInput], { seed: 10 }, (market, input) => {
      const problem = problemOf(market);
      fc.pre(problem.arcs.length > 0 && input > 1e18);
      const { logPrices, bound } = solveDual(problem, input);
      const { inputs, profits, shares, overflow } = arcFlowsAt(problem, input, logPrices);
      fc.pre(overflow.every((part) => part < 1e-6));
      const sold = inputs.filter((_, arc) => problem.tails[arc] === problem.sell);
      expect(sold.reduce((sum, amount) => sum + amount, 0) / input).toBeCloseTo(1, 6);
      const price = problem.priceOf(problem.sell, logPrices);
      const worth = profits.reduce((sum, profit) => sum + profit, input * price);
      expect(worth / bound).toBeCloseTo(1, 9);
      expect(Math.min(...shares)).toBeGreaterThanOrEqual(0);
    });
  });

  test('a warm start -> the same solution', () => {
    forAll([anyFairMarket, anyInput], { seed: 11 }, (market, input) => {
      const problem = problemOf(market);
      fc.pre(problem.arcs.length > 0 && input > 1e18);
      const near = solveDual(problem, input * 1.1);
      const { bound } = solveDual(problem, input, { start: near.logPrices });
      expect(bound / solveDual(problem, input).bound).toBeCloseTo(1, 9);
    });
  });
});

describe('solveSymmetric', () => {
  test('Laplacian of any graph plus I -> A x equals the vector', () => {
    const size = 7;
    const node = fc.nat(size - 1);
    const anyEdge = fc.tuple(node, node, fc.double({ min: 0.01, max: 9, noNaN: true }));
    const anyVector = fc.array(fc.double({ min: -3, max: 3, noNaN: true }), {
      minLength: size,
      maxLength: size,
    });
    forAll([fc.array(anyEdge), anyVector], { seed: 3 }, (edges, vector) => {
      const matrix = vector.map((_, row) => vector.map((_, column) => Number(row === column)));
      const increase = (row: number, column: number, weight: number) => {
        (matrix[row] as number[])[column] = (matrix[row]?.[column] ?? 0) + weight;
      };
      for (const [a, b, weight] of edges.filter(([a, b]) => a !== b)) {
        for (const [one, other] of [
          [a, b],
          [b, a],
        ] as const) {
          increase(one, one, weight);
          increase(one, other, -weight);
        }
      }
      const x = Float64Array.from(vector);
      solveSymmetric(Float64Array.from(matrix.flat()), x);
      for (const [row, entries] of matrix.entries()) {
        const product = entries.reduce((sum, entry, column) => sum + entry * (x[column] ?? 0), 0);
        expect(product).toBeCloseTo(vector[row] ?? 0, 8);
      }
    });
  });
});
