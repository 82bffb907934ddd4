import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { solvePositiveDefinite } from './cholesky.ts';
import { solveDual } from './dual-solver.ts';
import { flowProblemOf } from './flow-problem.ts';
import { pathsBetween } from './path.ts';
import { curveOf, outputOf, waterfill } from './path-curve.ts';
import { poolGraphOf } from './pool-graph.ts';
import { anyMarket, marketOf, pairPool, tokenOf } from './routing.testing.ts';

const sources = new Set(['Test']);
const anyInput = fc.integer({ min: 150, max: 230 }).map((size) => 10 ** (size / 10));

describe('solveDual', () => {
  test('one pool -> what the pool gives', () => {
    const market = marketOf([pairPool([0, 3], 10n ** 20n, 10n ** 21n)]);
    const problem = flowProblemOf(poolGraphOf(market, sources), tokenOf(0), tokenOf(3));
    const { output, residual } = solveDual(problem, 1e19);
    expect(output).toBeCloseTo((1e19 * 0.997 * 1e21) / (1e20 + 1e19 * 0.997), -8);
    expect(residual).toBeLessThan(1e-9);
  });

  test('any market -> no less than the best single path', () => {
    fc.assert(
      fc.property(anyMarket, anyInput, (market, input) => {
        const graph = poolGraphOf(market, sources);
        const problem = flowProblemOf(graph, tokenOf(0), tokenOf(3));
        fc.pre(problem.hops.length > 0);
        const { output, residual } = solveDual(problem, input);
        fc.pre(residual < 1e-9);
        for (const path of pathsBetween(graph, tokenOf(0), tokenOf(3), false)) {
          expect(output).toBeGreaterThan(outputOf(curveOf(path), input) * (1 - 1e-7));
        }
      }),
      { seed: 2 },
    );
  });
});

describe('waterfill', () => {
  test('paths that share nothing -> the inputs sum up, at one marginal price', () => {
    const pools = [3n, 5n, 9n].map((depth) => pairPool([0, 3], depth * 10n ** 20n, 10n ** 21n));
    const paths = pathsBetween(
      poolGraphOf(marketOf(pools), sources),
      tokenOf(0),
      tokenOf(3),
      false,
    );
    const curves = paths.map(curveOf);
    const { inputs, price } = waterfill(curves, 4e20);
    expect(inputs.reduce((sum, input) => sum + input, 0) / 4e20).toBeCloseTo(1, 12);
    for (const [index, curve] of curves.entries()) {
      const input = inputs[index] ?? 0;
      const marginal =
        (outputOf(curve, input * (1 + 1e-6)) - outputOf(curve, input)) / input / 1e-6;
      expect(marginal / price).toBeCloseTo(1, 5);
    }
  });
});

describe('solvePositiveDefinite', () => {
  test('A = B B^T + I -> A x is the vector', () => {
    const entry = fc.double({ min: -3, max: 3, noNaN: true });
    const size = 4;
    fc.assert(
      fc.property(
        fc.array(entry, { minLength: 16, maxLength: 16 }),
        fc.array(entry, { minLength: 4, maxLength: 4 }),
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
      ),
      { seed: 3 },
    );
  });
});
