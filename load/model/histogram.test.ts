import fc from 'fast-check';
import { encodeIntoCompressedBase64 } from 'hdr-histogram-js';
import { describe, expect, test } from 'vitest';
import { forAll } from '../../fixtures/testing/for-all.testing.ts';
import { createHistogram, decodeAll, MAX_TRACKABLE_US, percentilesOf } from './histogram.ts';

const values = fc.array(fc.integer({ min: 1, max: 4_000_000 }), { maxLength: 60 });

function histogramOf(microseconds: readonly number[]) {
  const histogram = createHistogram();
  for (const each of microseconds) histogram.recordValue(each);
  return histogram;
}

describe('percentilesOf', () => {
  test('1 to 1000 ms -> the percentiles, mean and maximum, within the resolution', () => {
    const all = Array.from({ length: 1000 }, (_, at) => (at + 1) * 1000);
    const { p50, p99, 'p99.9': p999, mean, max } = percentilesOf(histogramOf(all));
    const expected = [500, 990, 999, 500.5, 1000];
    for (const [at, value] of [p50, p99, p999, mean, max].entries()) {
      expect(Math.abs(value / (expected[at] ?? 0) - 1)).toBeLessThan(0.001);
    }
  });

  test('any values -> the mean of the library', () => {
    const upToAnHour = fc.array(fc.integer({ min: 1, max: MAX_TRACKABLE_US }), { maxLength: 60 });
    forAll([fc.oneof(values, upToAnHour)], { seed: 1 }, (each) => {
      const histogram = histogramOf(each);
      for (const one of [histogram, decodeAll([encodeIntoCompressedBase64(histogram)])]) {
        expect(percentilesOf(one).mean).toBe(Math.round(one.mean) / 1000);
      }
    });
  });

  test('no values -> 0', () => {
    expect(Object.values(percentilesOf(histogramOf([])))).toEqual(Array(9).fill(0));
  });
});

describe('decodeAll', () => {
  test('any parts -> one histogram of all their values', () => {
    forAll([fc.array(values, { maxLength: 4 })], { seed: 1 }, (parts) => {
      const encoded = parts.map((part) => encodeIntoCompressedBase64(histogramOf(part)));
      const { max, ...metrics } = percentilesOf(decodeAll(encoded));
      const whole = percentilesOf(histogramOf(parts.flat()));
      expect({ ...metrics, max: whole.max }).toEqual(whole);
      expect(Math.abs(max - whole.max)).toBeLessThanOrEqual(0.001 * whole.max);
    });
  });
});
