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

/** Content of a histogram, in milliseconds. */
export type Quantiles = {
  readonly count: number;
  readonly meanMs: number;
  /**
   * Smallest value such that the given share (0 to 1) of all values is at or below it. 0 if the
   * histogram is empty.
   */
  readonly at: (share: number) => number;
};

/** Returns a histogram's quantiles by binary search. The library's own methods scan from the start each time. */
export function quantilesOf(histogram: Histogram): Quantiles {
  // We never create histograms of the WebAssembly implementation.
  const steps = histogram as JsHistogram;
  const { totalCount } = steps;
  const upTo: number[] = [];
  const valueUs: number[] = [];
  let seen = 0;
  let sumUs = 0;
  for (let index = 0; seen < totalCount; index++) {
    const count = steps.getCountAtIndex(index);
    if (count === 0) continue;
    const value = steps.valueFromIndex(index);
    seen += count;
    sumUs += count * steps.medianEquivalentValue(value);
    upTo.push(seen);
    valueUs.push(steps.highestEquivalentValue(value));
  }
  return {
    count: totalCount,
    meanMs: totalCount === 0 ? 0 : sumUs / totalCount / 1000,
    at(share) {
      // A rounding error must not raise the rank.
      const rank = Math.max(1, Math.ceil(share * totalCount * (1 - Number.EPSILON)));
      let low = 0;
      let high = upTo.length - 1;
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((upTo[middle] ?? 0) < rank) low = middle + 1;
        else high = middle;
      }
      return (valueUs[low] ?? 0) / 1000;
    },
  };
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
  const { meanMs, at } = quantilesOf(histogram);
  const percentiles = Object.entries(PERCENTILES).map(([name, percentile]) => [
    name,
    at(percentile / 100),
  ]);
  return {
    ...Object.fromEntries(percentiles),
    mean: Math.round(meanMs * 1000) / 1000,
    max: histogram.maxValue / 1000,
  } as Percentiles;
}
