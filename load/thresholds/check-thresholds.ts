import type { Threshold } from '../profiles/profile.ts';
import type {
  EndpointResult,
  IntervalResult,
  Percentiles,
  ThresholdResult,
} from '../report/load-result.ts';

/** What thresholds are held against. */
export type Figures = {
  readonly endpoints: readonly EndpointResult[];
  /** By endpoint name, `all` among them. */
  readonly seriesOf: (endpoint: string) => readonly IntervalResult[];
  /** Start of the first second with a wrong reply. */
  readonly firstWrongS?: number;
  readonly wrong: number;
  /** Rate reached over rate asked; absent in a closed workload. */
  readonly rateRatio?: number;
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
  const by = Math.abs(actual - (bound ?? 0));
  const share = bound ? ` (${((100 * by) / bound).toFixed(by / bound < 0.1 ? 1 : 0)} %)` : '';
  const when = firstCrossedS === undefined ? '' : `, first at ${firstCrossedS} s`;
  return `${name} is ${words(actual)}: ${limit}, crossed by ${words(by)}${share}${when}`;
}

function actualOf({ metric }: Threshold, endpoint: string, figures: Figures): number | undefined {
  if (metric === 'wrong') return figures.wrong;
  if (metric === 'rate') return figures.rateRatio;
  const result = figures.endpoints.find(({ name }) => name === endpoint);
  if (result === undefined || result.requests === 0) return undefined;
  if (metric === 'errors') return sum(result.errors) / result.requests;
  return result.latencyMs[metric];
}

function firstCrossing(
  threshold: Threshold,
  endpoint: string,
  figures: Figures,
): number | undefined {
  const { metric } = threshold;
  if (metric === 'wrong') return figures.firstWrongS;
  const crossing = figures.seriesOf(endpoint).find((interval) => {
    if (interval.startS < figures.warmUpS) return false;
    if (metric === 'errors') {
      return interval.requests > 0 && !isWithin(interval.errors / interval.requests, threshold);
    }
    if (metric === 'rate') {
      return interval.asked ? !isWithin(interval.reached / interval.asked, threshold) : false;
    }
    const value = interval[metric as keyof IntervalResult & keyof Percentiles];
    return value !== undefined && !isWithin(value, threshold);
  });
  return crossing?.startS;
}

function isWithin(value: number, { min, max }: Pick<Threshold, 'min' | 'max'>): boolean {
  return (max === undefined || value <= max) && (min === undefined || value >= min);
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}

function show(metric: string, value: number | undefined): string {
  if (value === undefined) return '?';
  if (metric === 'wrong') return String(value);
  if (metric === 'errors' || metric === 'rate') return `${Number((100 * value).toPrecision(4))} %`;
  return `${Number(value.toPrecision(4))} ms`;
}
