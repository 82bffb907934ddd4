import { createRandom } from '../../conformance/model/random.ts';
import {
  ascending,
  meanOf,
  medianOf,
  quantileOf,
  sumOf,
  wilsonInterval,
} from '../../conformance/model/statistics.ts';
import type { Estimate, Spread } from '../model/metrics.ts';

const RESAMPLES = 1_000;
/** With fewer clusters, resamples are too similar for a 95% interval. */
const MIN_CLUSTERS = 3;
const TAIL = 0.025;
/** Quantile of the normal distribution for a two-sided 95% interval. */
const Z = 1.959963984540054;

/**
 * Returns the mean of all values with its percentile bootstrap interval. The values of one cluster
 * were measured at the same moment and are drawn together, so that their common cause does not
 * narrow the interval. The same seed results in the same interval. Returns undefined if there are
 * no values, and no interval for fewer than three clusters.
 * @see Efron and Tibshirani, An Introduction to the Bootstrap (1993), sections 8.5 and 13.3
 */
export function bootstrapMean(clusters: Clusters, seed: number): Estimate | undefined {
  const sums = clusters.map((values) => ({ sum: sumOf(values), count: values.length }));
  return bootstrap(sums, seed, (drawn) => {
    let [sum, count] = [0, 0];
    for (const each of drawn) {
      sum += each.sum;
      count += each.count;
    }
    return sum / count;
  });
}

/** Returns the median of all values, with an interval like {@link bootstrapMean}. */
export function bootstrapMedian(clusters: Clusters, seed: number): Estimate | undefined {
  const counted = clusters.map((values) => ({ values, count: values.length }));
  return bootstrap(counted, seed, (drawn) => medianOf(drawn.flatMap(({ values }) => values)));
}

type Clusters = readonly (readonly number[])[];

function bootstrap<Cluster extends { readonly count: number }>(
  clusters: readonly Cluster[],
  seed: number,
  statistic: (drawn: readonly Cluster[]) => number,
): Estimate | undefined {
  const filled = clusters.filter(({ count }) => count > 0);
  if (filled.length === 0) return undefined;
  const count = sumOf(filled.map((cluster) => cluster.count));
  const estimate = { value: statistic(filled), count };
  if (filled.length < MIN_CLUSTERS) return estimate;
  const random = createRandom(seed);
  const draw = () => filled[Math.floor(random() * filled.length)] as Cluster;
  const drawn = Array.from({ length: RESAMPLES }, () => statistic(filled.map(draw))).sort(
    ascending,
  );
  return { ...estimate, low: quantileOf(drawn, TAIL), high: quantileOf(drawn, 1 - TAIL) };
}

/**
 * Returns a share with Wilson's score interval; undefined without trials.
 *
 * @example shareOf(1, 20) // { value: 0.05, low: 0.0089, high: 0.2361, count: 20 }
 */
export function shareOf(hits: number, count: number): Estimate | undefined {
  if (count === 0) return undefined;
  return { value: hits / count, ...wilsonInterval(hits, count, Z), count };
}

/** Returns the quantiles of values; undefined if there are no values. */
export function spreadOf(values: readonly number[]): Spread | undefined {
  if (values.length === 0) return undefined;
  const sorted = values.toSorted(ascending);
  const at = (share: number) => quantileOf(sorted, share);
  return {
    count: values.length,
    mean: meanOf(values),
    min: at(0),
    p5: at(0.05),
    p25: at(0.25),
    median: at(0.5),
    p75: at(0.75),
    p95: at(0.95),
    max: at(1),
  };
}
