import { describe, expect, test } from 'vitest';
import {
  medianOf,
  quantileOf,
  studentInterval,
  studentQuantile,
  wilsonInterval,
} from './statistics.ts';

describe('quantileOf', () => {
  test('ascending values -> interpolated between neighbors', () => {
    expect([0, 0.25, 0.5, 1].map((share) => quantileOf([1, 2, 4], share))).toEqual([1, 1.5, 2, 4]);
    expect(medianOf([9, 1, 2, 4])).toBe(3);
  });
});

describe('wilsonInterval', () => {
  // Newcombe, "Two-sided confidence intervals for the single proportion" (1998), table I, method 3.
  test.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('%i of %i -> from %f to %f', (hits, count, low, high) => {
    const interval = wilsonInterval(hits, count, 1.959964);
    expect(interval.low).toBeCloseTo(low, 4);
    expect(interval.high).toBeCloseTo(high, 4);
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
