import {
  build,
  decodeFromCompressedBase64,
  encodeIntoCompressedBase64,
  type Histogram,
} from 'hdr-histogram-js';
import type { Percentiles } from './load-result.ts';

/** The largest latency that a histogram holds: an hour. */
export const MAX_TRACKABLE_US = 3_600_000_000;

/** Returns an empty histogram of microseconds: 1 us to 1 h at three significant digits. */
export function createHistogram(): Histogram {
  return build({
    lowestDiscernibleValue: 1,
    highestTrackableValue: MAX_TRACKABLE_US,
    numberOfSignificantValueDigits: 3,
    bitBucketSize: 32,
    useWebAssembly: false,
  });
}

/** Returns one histogram of all that the encoded ones hold. */
export function decodeAll(encoded: readonly string[]): Histogram {
  const sum = createHistogram();
  for (const text of encoded) sum.add(decodeFromCompressedBase64(text));
  return sum;
}

/** Returns encoded histograms as one, encoded. */
export function mergeHistograms(encoded: readonly string[]): string {
  return encodeIntoCompressedBase64(decodeAll(encoded));
}

/** The percentiles that are reported, by name. */
export const PERCENTILES = {
  p50: 50,
  p75: 75,
  p90: 90,
  p95: 95,
  p99: 99,
  'p99.9': 99.9,
  'p99.99': 99.99,
} as const satisfies Partial<Record<keyof Percentiles, number>>;

/** Returns a histogram of microseconds as percentiles in milliseconds; all 0 where it is empty. */
export function percentilesOf(histogram: Histogram): Percentiles {
  if (histogram.totalCount === 0) {
    const none = Object.keys(PERCENTILES).map((name) => [name, 0]);
    return { ...Object.fromEntries(none), mean: 0, max: 0 } as Percentiles;
  }
  const at = Object.entries(PERCENTILES).map(([name, percentile]) => [
    name,
    histogram.getValueAtPercentile(percentile) / 1000,
  ]);
  return {
    ...Object.fromEntries(at),
    mean: Math.round(histogram.mean) / 1000,
    max: histogram.maxValue / 1000,
  } as Percentiles;
}
