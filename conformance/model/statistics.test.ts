import { describe, expect, test } from 'vitest';
import { createRandom } from './random.ts';
import { drawBeta, medianOf, quantileOf, studentInterval, studentQuantile } from './statistics.ts';

describe('quantileOf', () => {
  test('ascending values -> interpolated between neighbors', () => {
    expect([0, 0.25, 0.5, 1].map((share) => quantileOf([1, 2, 4], share))).toEqual([1, 1.5, 2, 4]);
    expect(medianOf([9, 1, 2, 4])).toBe(3);
  });
});

describe('drawBeta', () => {
  test('many draws -> the mean and variance of the distribution', () => {
    const uniform = createRandom(5);
    const draws = Array.from({ length: 20_000 }, () => drawBeta(30, 10, uniform));
    const mean = draws.reduce((sum, x) => sum + x, 0) / draws.length;
    const variance = draws.reduce((sum, x) => sum + (x - mean) ** 2, 0) / draws.length;
    expect(mean).toBeCloseTo(0.75, 2);
    expect(variance).toBeCloseTo((30 * 10) / (40 ** 2 * 41), 4);
  });
});

describe('studentQuantile', () => {
  // Quantiles of Student's t-distribution, as printed in statistics textbooks.
  test.each([
    [0.95, 1, 12.706],
    [0.95, 2, 4.303],
    [0.95, 5, 2.571],
    [0.95, 10, 2.228],
    [0.99, 4, 4.604],
    [0.999, 7, 5.408],
    [0.95, 1000, 1.962],
  ])('%f with %i degrees of freedom -> %f', (confidence, freedom, t) => {
    expect(studentQuantile(confidence, freedom)).toBeCloseTo(t, 3);
  });
});

describe('studentInterval', () => {
  test('differences 1, 2, 3 -> 2 plus or minus 4.303 / sqrt(3)', () => {
    const { mean, low, high } = studentInterval([1, 2, 3], 0.95);
    expect(mean).toBe(2);
    expect(high - mean).toBeCloseTo(4.3027 / Math.sqrt(3), 4);
    expect(mean - low).toBeCloseTo(4.3027 / Math.sqrt(3), 4);
  });

  test('one difference -> an unbounded interval', () => {
    expect(studentInterval([1], 0.95)).toEqual({ mean: 1, low: -Infinity, high: Infinity });
  });
});
