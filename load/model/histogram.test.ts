import fc from 'fast-check';
import { encodeIntoCompressedBase64 } from 'hdr-histogram-js';
import { describe, expect, test } from 'vitest';
import { forAll } from '../../fixtures/testing/for-all.testing.ts';
import { createHistogram, decodeAll, PERCENTILES, percentilesOf } from './histogram.ts';

const values = fc.array(fc.integer({ min: 1, max: 4_000_000 }), { maxLength: 60 });

function histogramOf(microseconds: readonly number[]) {
  const histogram = createHistogram();
  for (const each of microseconds) histogram.recordValue(each);
  return histogram;
}

describe('percentilesOf', () => {
  test('any values -> the percentiles, mean and maximum of HdrHistogram', () => {
    forAll([values], { seed: 1 }, (microseconds) => {
      const histogram = histogramOf(microseconds);
      const percentiles = percentilesOf(histogram);
      for (const [name, percentile] of Object.entries(PERCENTILES)) {
        const own = histogram.getValueAtPercentile(percentile) / 1000;
        expect(percentiles[name as keyof typeof PERCENTILES], name).toBe(own);
      }
      expect(percentiles.mean).toBeCloseTo(histogram.mean / 1000, 2);
      expect(percentiles.max).toBe(histogram.maxValue / 1000);
    });
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
