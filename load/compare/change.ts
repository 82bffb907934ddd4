import { InvalidArgumentError } from 'commander';

/** Latency percentiles that are compared, as shares. */
export const COMPARED = { p50: 0.5, p90: 0.9, p99: 0.99, 'p99.9': 0.999 } as const;
type ComparedMetric = keyof typeof COMPARED | 'errors';

/**
 * Change in one metric of one endpoint. For latencies, a fraction of the base (0.1 is 10% slower).
 * For error shares, the difference.
 */
export type Change = {
  readonly endpoint: string;
  readonly metric: ComparedMetric;
  readonly base: number;
  readonly head: number;
  readonly change: number;
  /** Confidence interval of the change. The intervals of all endpoints hold jointly at 95%. */
  readonly interval: readonly [low: number, high: number];
  /** `unclear`: too few requests for a verdict. */
  readonly verdict: 'regression' | 'improvement' | 'noise' | 'unclear';
};

/** Maximum deterioration of a metric. */
export type RegressionBound = {
  readonly metric: ComparedMetric;
  /** If undefined, the bound applies to every endpoint. */
  readonly endpoint?: string;
  /** Fraction of the base for latencies; difference between shares for errors. */
  readonly max: number;
};

/** Default bounds: 10% on p99, one percentage point on errors. */
export const DEFAULT_BOUNDS: readonly RegressionBound[] = [
  { metric: 'p99', max: 0.1 },
  { metric: 'errors', max: 0.01 },
];

/**
 * Parses a bound such as `p99>10%` or `swap:errors>0.5%`.
 *
 * @throws {InvalidArgumentError} for anything else
 * @example
 * parseRegressionBound('p50>5%') // { metric: 'p50', max: 0.05 }
 */
export function parseRegressionBound(text: string): RegressionBound {
  const [, endpoint, name, digits] =
    /^(?:([^:<>]+):)?\s*([a-z0-9.]+)\s*>\s*([0-9]+(?:\.[0-9]+)?)\s*%$/.exec(text) ?? [];
  if (name === undefined || !(name === 'errors' || Object.hasOwn(COMPARED, name))) {
    throw new InvalidArgumentError(
      `'${text}' is not a bound: expected [ENDPOINT:]METRIC>N%, such as 'p99>10%'; a metric is one of ${Object.keys(COMPARED).join(', ')}, errors`,
    );
  }
  return {
    metric: name as ComparedMetric,
    max: Number(digits) / 100,
    ...(endpoint === undefined ? {} : { endpoint }),
  };
}

/** Returns a bound in the form that {@link parseRegressionBound} reads. */
export function formatRegressionBound({ metric, endpoint, max }: RegressionBound): string {
  const share = Number((100 * max).toPrecision(12));
  return `${endpoint === undefined ? '' : `${endpoint}:`}${metric}>${share}%`;
}

/** Returns whether a bound applies to this change. */
export function appliesTo({ endpoint, metric }: Change, bound: RegressionBound): boolean {
  return bound.metric === metric && (bound.endpoint ?? endpoint) === endpoint;
}

/** Returns whether even the lower end of a change's interval is beyond a bound. */
export function isBeyond(change: Change, bounds: readonly RegressionBound[]): boolean {
  const { verdict, interval } = change;
  return (
    verdict !== 'unclear' &&
    bounds.some((bound) => appliesTo(change, bound) && interval[0] > bound.max)
  );
}

/**
 * Returns whether a change leaves a bound undecided: the change is unclear, or the bound lies
 * inside its interval.
 */
export function isUndecided(change: Change, bound: RegressionBound): boolean {
  const [low, high] = change.interval;
  const isInside = low <= bound.max && high > bound.max;
  return appliesTo(change, bound) && (change.verdict === 'unclear' || isInside);
}

/** Returns the smallest change that this interval's width allows to detect beyond the bound. */
export function smallestDetectable(
  { metric, interval: [low, high] }: Change,
  bound: RegressionBound,
): number {
  if (metric === 'errors') return bound.max + (high - low) / 2;
  return Math.expm1(Math.log1p(bound.max) + (Math.log1p(high) - Math.log1p(low)) / 2);
}
