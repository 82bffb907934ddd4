import { given } from '../../conformance/output/option-values.ts';
import type {
  EndpointResult,
  IntervalResult,
  Percentiles,
  RunInterval,
  ThresholdResult,
} from '../model/load-result.ts';
import { errorCount, type SampleCount } from '../model/metrics.ts';
import type { Threshold } from '../model/profile.ts';

/** Metrics against which thresholds are checked. */
export type MeasuredMetrics = {
  readonly endpoints: readonly Pick<
    EndpointResult,
    'name' | 'requests' | 'sentInTime' | 'errors' | 'latencyMs' | 'series'
  >[];
  /** Metrics of all requests over time. */
  readonly series: readonly RunInterval[];
  readonly intervalS: number;
  /** Returns the numbers of judged and wrong replies. Takes the name of an endpoint, or `all`. */
  readonly sampleCount: (endpoint: string) => SampleCount;
  /** Intervals that start before this second belong to the warm-up. */
  readonly warmUpS: number;
};

/**
 * Returns each threshold with its measured value, whether it held, and when it
 * was first crossed. A threshold that could not be
 * measured does not hold.
 */
export function checkThresholds(
  thresholds: readonly Threshold[],
  metrics: MeasuredMetrics,
): ThresholdResult[] {
  return thresholds.map((threshold) => {
    const endpoint = threshold.endpoint ?? 'all';
    const actual = actualOf(threshold, endpoint, metrics);
    const held = actual !== undefined && isWithin(actual, threshold);
    const firstCrossedS = held ? undefined : firstCrossing(threshold, endpoint, metrics);
    return { ...threshold, endpoint, held, ...given({ actual, firstCrossedS }) };
  });
}

function actualOf(
  { metric }: Threshold,
  endpoint: string,
  metrics: MeasuredMetrics,
): number | undefined {
  if (metric === 'wrong') {
    const { judged, wrong } = metrics.sampleCount(endpoint);
    return judged === 0 ? undefined : wrong;
  }
  const result = metrics.endpoints.find(({ name }) => name === endpoint);
  if (result === undefined || result.requests === 0) return undefined;
  if (metric === 'rate') return result.sentInTime / result.requests;
  if (metric === 'errors') return errorCount(result) / result.requests;
  return result.latencyMs[metric];
}

function firstCrossing(
  threshold: Threshold,
  endpoint: string,
  metrics: MeasuredMetrics,
): number | undefined {
  const { metric } = threshold;
  if (metric === 'wrong') return metrics.sampleCount(endpoint).firstWrongS;
  const measured = <Interval extends IntervalResult>(series: readonly Interval[]): Interval[] =>
    series.filter(({ startS }) => startS >= metrics.warmUpS);
  if (metric === 'rate') {
    // The requested rate is only known for all requests together.
    if (endpoint !== 'all') return undefined;
    // Even with an even schedule, an interval may contain one request more or less.
    const one = 1 / metrics.intervalS;
    return measured(metrics.series).find(
      ({ requested = 0, reached }) =>
        requested > 0 &&
        !isWithin((reached + one) / requested, threshold) &&
        !isWithin((reached - one) / requested, threshold),
    )?.startS;
  }
  const series: readonly IntervalResult[] =
    endpoint === 'all'
      ? metrics.series
      : (metrics.endpoints.find(({ name }) => name === endpoint)?.series ?? []);
  return measured(series).find((interval) => {
    if (interval.requests === 0) return false;
    if (metric === 'errors') return !isWithin(errorCount(interval) / interval.requests, threshold);
    return !isWithin(interval[metric as keyof Percentiles], threshold);
  })?.startS;
}

function isWithin(value: number, { min, max }: Pick<Threshold, 'min' | 'max'>): boolean {
  return (max === undefined || value <= max) && (min === undefined || value >= min);
}
