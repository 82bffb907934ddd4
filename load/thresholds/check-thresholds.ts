import type { Threshold } from '../profiles/profile.ts';
import type {
  EndpointResult,
  IntervalResult,
  Percentiles,
  RunInterval,
  ThresholdResult,
} from '../report/load-result.ts';
import { errorCount } from '../report/words.ts';
import type { Tally } from '../sample/sample-judge.ts';

/** What thresholds are held against. */
export type Figures = {
  readonly endpoints: readonly EndpointResult[];
  /** All requests over time. */
  readonly series: readonly RunInterval[];
  readonly intervalS: number;
  /** By endpoint name, `all` among them. */
  readonly tallyOf: (endpoint: string) => Tally;
  /** Intervals before this belong to the warm-up. */
  readonly warmUpS: number;
};

/**
 * Returns each threshold with its figure, whether it held, and when it was
 * first crossed. One that could not be measured did not hold.
 */
export function checkThresholds(
  thresholds: readonly Threshold[],
  figures: Figures,
): ThresholdResult[] {
  return thresholds.map((threshold) => {
    const endpoint = threshold.endpoint ?? 'all';
    const actual = actualOf(threshold, endpoint, figures);
    const held = actual !== undefined && isWithin(actual, threshold);
    const firstCrossedS = held ? undefined : firstCrossing(threshold, endpoint, figures);
    return {
      ...threshold,
      endpoint,
      held,
      ...(actual === undefined ? {} : { actual }),
      ...(firstCrossedS === undefined ? {} : { firstCrossedS }),
    };
  });
}

/**
 * Returns a threshold that did not hold as a sentence: which, by how much, when first.
 * Shares are crossed by percentage points.
 *
 * @example
 * 'p99 of swap is 312 ms: at most 250 ms allowed, crossed by 62 ms (25 %), first at 12 s'
 */
export function describeCrossing(result: ThresholdResult): string {
  const { metric, endpoint, actual, max, min, firstCrossedS } = result;
  const bound = max !== undefined && (actual === undefined || actual > max) ? max : min;
  const words = (value: number | undefined): string => show(metric, value);
  const limit = bound === max ? `at most ${words(max)} allowed` : `at least ${words(min)} asked`;
  const name = `${metric} of ${endpoint === 'all' ? 'all requests' : endpoint}`;
  if (actual === undefined) return `${name} was not measured: ${limit}`;
  const when = firstCrossedS === undefined ? '' : `, first at ${firstCrossedS} s`;
  return `${name} is ${words(actual)}: ${limit}, crossed by ${excess(metric, actual, bound ?? 0)}${when}`;
}

function excess(metric: string, actual: number, bound: number): string {
  const by = Math.abs(actual - bound);
  if (metric === 'errors' || metric === 'rate')
    return `${Number((100 * by).toPrecision(4))} points`;
  const share = bound > 0 ? ` (${((100 * by) / bound).toFixed(by / bound < 0.1 ? 1 : 0)} %)` : '';
  return show(metric, by) + share;
}

function actualOf({ metric }: Threshold, endpoint: string, figures: Figures): number | undefined {
  if (metric === 'wrong') {
    const { judged, wrong } = figures.tallyOf(endpoint);
    return judged === 0 ? undefined : wrong;
  }
  const result = figures.endpoints.find(({ name }) => name === endpoint);
  if (result === undefined || result.requests === 0) return undefined;
  if (metric === 'rate') return result.sentInTime / result.requests;
  if (metric === 'errors') return errorCount(result) / result.requests;
  return result.latencyMs[metric];
}

function firstCrossing(
  threshold: Threshold,
  endpoint: string,
  figures: Figures,
): number | undefined {
  const { metric } = threshold;
  if (metric === 'wrong') return figures.tallyOf(endpoint).firstWrongS;
  const measured = <Interval extends IntervalResult>(series: readonly Interval[]): Interval[] =>
    series.filter(({ startS }) => startS >= figures.warmUpS);
  if (metric === 'rate') {
    // What was asked for is known of all requests together.
    if (endpoint !== 'all') return undefined;
    // An even schedule has one request more or less in an interval.
    const one = 1 / figures.intervalS;
    return measured(figures.series).find(
      ({ asked = 0, reached }) =>
        asked > 0 &&
        !isWithin((reached + one) / asked, threshold) &&
        !isWithin((reached - one) / asked, threshold),
    )?.startS;
  }
  const series: readonly IntervalResult[] =
    endpoint === 'all'
      ? figures.series
      : (figures.endpoints.find(({ name }) => name === endpoint)?.series ?? []);
  return measured(series).find((interval) => {
    if (interval.requests === 0) return false;
    if (metric === 'errors') return !isWithin(errorCount(interval) / interval.requests, threshold);
    return !isWithin(interval[metric as keyof Percentiles], threshold);
  })?.startS;
}

function isWithin(value: number, { min, max }: Pick<Threshold, 'min' | 'max'>): boolean {
  return (max === undefined || value <= max) && (min === undefined || value >= min);
}

function show(metric: string, value: number | undefined): string {
  if (value === undefined) return '?';
  if (metric === 'wrong') return String(value);
  if (metric === 'errors' || metric === 'rate') return `${Number((100 * value).toPrecision(4))} %`;
  return `${Number(value.toPrecision(4))} ms`;
}
