import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forAll } from '../../../fixtures/testing/for-all.testing.ts';
import { allPathsOf, anyMarket, marketOf, pairPool } from '../planner.testing.ts';
import { capacityOf, inputDownTo, inputOf, outputOf, rootAt } from './path-curve.ts';
import { waterfill } from './waterfill.ts';

function curvesOf(market: ReturnType<typeof marketOf>) {
  return allPathsOf(market).map(({ curve }) => curve);
}

/**
 * Ranges from a millionth of a curve's capacity to nearly all of it, because pairs accept far more
 * than anybody owns.
 */
const anyPart = fc.integer({ min: 0, max: 599 }).map((size) => 10 ** (-size / 100));

describe('PathCurve', () => {
  test('any path -> outputOf and inputOf are inverses, and the rate falls', () => {
    forAll([anyMarket, anyPart], { seed: 12 }, (market, part) => {
      for (const curve of curvesOf(market)) {
        const input = Math.min(1e25, capacityOf(curve)) * part;
        const output = outputOf(curve, input);
        expect(inputOf(curve, output) / input).toBeCloseTo(1, 6);
        const root = rootAt(curve, input);
        expect(inputDownTo(curve, root) / input).toBeCloseTo(1, 6);
        const slope = (outputOf(curve, input * (1 + 1e-6)) - output) / (input * 1e-6);
        expect(slope).toBeLessThanOrEqual(root ** 2 * (1 + 1e-6));
      }
    });
  });

  test('more than the total output of a path -> infinite input', () => {
    const [curve] = curvesOf(marketOf([pairPool([0, 3], 10n ** 20n, 10n ** 20n)]));
    if (curve === undefined) throw new Error('no path');
    expect(inputOf(curve, 1e20)).toBe(Number.POSITIVE_INFINITY);
    expect(outputOf(curve, Number.POSITIVE_INFINITY)).toBeLessThan(1e20);
  });
});

describe('waterfill', () => {
  const pools = [3n, 5n, 9n].map((depth) => pairPool([0, 3], depth * 10n ** 20n, 10n ** 21n));

  test.each(['input', 'output'] as const)(
    'disjoint paths, %s -> inputs that reach the goal, at one marginal rate',
    (kind) => {
      const curves = curvesOf(marketOf(pools));
      const { inputs, root } = waterfill(curves, { kind, amount: 1.5e21 });
      const amounts = curves.map((curve, index) => {
        const input = inputs[index] ?? 0;
        return kind === 'input' ? input : outputOf(curve, input);
      });
      expect(amounts.reduce((sum, amount) => sum + amount, 0) / 1.5e21).toBeCloseTo(1, 12);
      for (const [index, curve] of curves.entries()) {
        const input = inputs[index] ?? 0;
        const marginal =
          (outputOf(curve, input * (1 + 1e-6)) - outputOf(curve, input)) / input / 1e-6;
        expect(marginal / root ** 2).toBeCloseTo(1, 5);
      }
    },
  );

  test('any paths, any part of their capacity -> inputs that reach the goal', () => {
    forAll([anyMarket, anyPart], { seed: 13 }, (market, part) => {
      const curves = curvesOf(market);
      const amount =
        part * curves.reduce((sum, curve) => sum + Math.min(1e26, capacityOf(curve)), 0);
      fc.pre(amount > 0 && part < 0.999);
      const { inputs } = waterfill(curves, { kind: 'input', amount });
      expect(inputs.reduce((sum, input) => sum + input, 0) / amount).toBeCloseTo(1, 8);
    });
  });

  test('a goal above the total capacity -> each curve is filled', () => {
    const curves = curvesOf(marketOf(pools));
    const { inputs, root } = waterfill(curves, { kind: 'input', amount: 1e40 });
    expect(root).toBe(0);
    expect(inputs).toEqual(curves.map(capacityOf));
  });
});
