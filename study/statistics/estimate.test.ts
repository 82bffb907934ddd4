import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRandom } from '../../conformance/model/random.ts';
import { bootstrapMean, bootstrapMedian, shareOf, spreadOf } from './estimate.ts';

describe('shareOf', () => {
  // Newcombe, "Two-sided confidence intervals for the single proportion" (1998), table I, method 3.
  test.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('%i of %i -> the published interval', (hits, count, low, high) => {
    const share = shareOf(hits, count);
    expect(share?.low).toBeCloseTo(low, 4);
    expect(share?.high).toBeCloseTo(high, 4);
  });

  test('0 of 0 -> undefined', () => {
    expect(shareOf(0, 0)).toBeUndefined();
  });
});

describe('spreadOf', () => {
  test('values in any order -> interpolated quantiles, like numpy.quantile', () => {
    expect(spreadOf([9, 1, 4, 16, 25])).toEqual({
      count: 5,
      mean: 11,
      min: 1,
      p5: expect.closeTo(1.6, 9),
      p25: 4,
      median: 9,
      p75: 16,
      p95: expect.closeTo(23.2, 9),
      max: 25,
    });
  });
});

describe('bootstrapMean and bootstrapMedian', () => {
  test('95% intervals -> contain the true mean about 95 times in 100, with clusters and without', () => {
    const random = createRandom(7);
    // The mean of 12 uniform numbers less 6 has a standard deviation of 1.
    const normal = () => Array.from({ length: 12 }, random).reduce((sum, x) => sum + x, -6);
    let held = 0;
    for (let run = 0; run < 100; run += 1) {
      const clusters = Array.from({ length: 30 }, () => {
        const shared = normal();
        return Array.from({ length: 4 }, () => 5 + shared + normal());
      });
      const { low = 0, high = 0 } = bootstrapMean(clusters, run) ?? {};
      if (low <= 5 && 5 <= high) held += 1;
    }
    expect(held).toBeGreaterThanOrEqual(88);
    expect(held).toBeLessThan(100);
  });

  test('any values -> an interval within them, around the estimate, the same for the same seed', () => {
    const values = fc.array(fc.array(fc.integer({ min: -999, max: 999 }), { maxLength: 5 }), {
      minLength: 2,
      maxLength: 8,
    });
    fc.assert(
      fc.property(values, fc.nat(), (clusters, seed) => {
        const estimate = bootstrapMedian(clusters, seed);
        const all = clusters.flat();
        if (all.length === 0) {
          expect(estimate).toBeUndefined();
          return;
        }
        expect(bootstrapMedian(clusters, seed)).toEqual(estimate);
        const { value, low = value, high = value } = estimate ?? { value: Number.NaN };
        expect(low).toBeGreaterThanOrEqual(Math.min(...all));
        expect(high).toBeLessThanOrEqual(Math.max(...all));
        expect(low).toBeLessThanOrEqual(high);
      }),
      { numRuns: 25 },
    );
  });

  test('one cluster -> an estimate without an interval', () => {
    expect(bootstrapMean([[1, 3]], 1)).toEqual({ value: 2, count: 2 });
  });
});
