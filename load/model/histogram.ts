import {
  build,
  decodeFromCompressedBase64,
  encodeIntoCompressedBase64,
  type Histogram,
  type JsHistogram,
} from 'hdr-histogram-js';
import type { Percentiles } from './load-result.ts';

/** Maximum latency in a histogram: one hour. Longer latencies are recorded as one hour. */
export const MAX_TRACKABLE_US = 3_600_000_000;

/** Returns an empty histogram of microseconds, from 1 us to 1 h, with three significant digits. */
export function createHistogram(): Histogram {
  return build({
    lowestDiscernibleValue: 1,
    highestTrackableValue: MAX_TRACKABLE_US,
    numberOfSignificantValueDigits: 3,
    bitBucketSize: 32,
    useWebAssembly: false,
  });
}

export function decodeAll(encoded: readonly string[]): Histogram {
  const [first, ...others] = encoded;
  const sum = first === undefined ? createHistogram() : decodeFromCompressedBase64(first);
  for (const text of others) sum.add(decodeFromCompressedBase64(text));
  return sum;
}

export function mergeHistograms(encoded: readonly string[]): string {
  const [first, ...others] = encoded;
  if (first !== undefined && others.length === 0) return first;
  return encodeIntoCompressedBase64(decodeAll(encoded));
}

/**
 * Returns the smallest value, in milliseconds, such that the given percentage of the values of a
 * histogram of microseconds is at or below it. 0 if the histogram is empty.
 */
export function percentileMs(histogram: Histogram, percentile: number): number {
  return histogram.totalCount === 0 ? 0 : histogram.getValueAtPercentile(percentile) / 1000;
}

/** Reported percentiles, by name. */
export const PERCENTILES = {
  p50: 50,
  p75: 75,
  p90: 90,
  p95: 95,
  p99: 99,
  'p99.9': 99.9,
  'p99.99': 99.99,
} as const satisfies Partial<Record<keyof Percentiles, number>>;

/**
 * Returns the percentiles of a histogram of microseconds, in milliseconds. All are 0 if the
 * histogram is empty.
 */
export function percentilesOf(histogram: Histogram): Percentiles {
  const percentiles = Object.entries(PERCENTILES).map(([name, percentile]) => [
    name,
    percentileMs(histogram, percentile),
  ]);
  return {
    ...Object.fromEntries(percentiles),
    mean: Math.round(meanOf(histogram as JsHistogram)) / 1000,
    max: histogram.maxValue / 1000,
  } as Percentiles;
}

/**
 * Returns the mean of a histogram in JavaScript. The library's `mean` takes 2 ms, because it also
 * visits every empty bucket, and the result of an hour of ten kinds of requests has 6,600 means.
 */
function meanOf(histogram: JsHistogram): number {
  let sum = 0;
  for (let index = 0; index < histogram.countsArrayLength; index += 1) {
    const count = histogram.getCountAtIndex(index);
    if (count > 0) sum += count * histogram.medianEquivalentValue(histogram.valueFromIndex(index));
  }
  return histogram.totalCount === 0 ? 0 : sum / histogram.totalCount;
}
