/**
 * Cause of a missing reply. `too-large`: the reply exceeded the client's limit. `client`: the
 * client's machine could not open a connection.
 */
export type LossCause = 'timeout' | 'reset' | 'refused' | 'protocol' | 'too-large' | 'client';

/**
 * Kind of failure: no reply, an unexpected status, or a request that was not sent before the end of
 * the run.
 */
export type ErrorKind = LossCause | 'status' | 'unsent';

/**
 * Metrics of one endpoint, in a form that can be stored and merged. Histograms are HdrHistogram V2
 * of microseconds, as base64.
 */
export type EndpointMetrics = {
  readonly latency: string;
  readonly service: string;
  readonly requests: number;
  /** Requests that were sent before the end of the schedule. */
  readonly sentInTime: number;
  readonly errors: Partial<Record<ErrorKind, number>>;
  readonly statuses: Record<string, number>;
};

/**
 * Requests that were sent or ended in one interval, with histograms as in {@link EndpointMetrics}.
 */
export type IntervalMetrics = {
  readonly startMs: number;
  readonly sent: number;
  readonly endpoints: Readonly<Record<string, IntervalEndpoint>>;
};

/** Requests to one endpoint that ended in one interval. */
export type IntervalEndpoint = {
  readonly requests: number;
  readonly errors: Partial<Record<ErrorKind, number>>;
  /** Unexpected statuses only. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly latency: string;
};

/** Numbers of judged and wrong replies from an endpoint. */
export type SampleCount = {
  readonly judged: number;
  readonly wrong: number;
  /** Second of the first wrong reply. */
  readonly firstWrongS?: number;
};

/** A snapshot of a run under way. */
export type LoadProgress = {
  readonly elapsedS: number;
  /** Planned duration of the run in seconds; in a search, of the current step. */
  readonly totalS: number;
  /** Seconds at the start that are not in the metrics. */
  readonly warmUpS: number;
  /**
   * Returns the numbers of judged and wrong replies so far. Takes the name of an endpoint, or
   * `all`.
   */
  readonly sampleCount: (endpoint: string) => SampleCount;
  /**
   * Requests per second that were due in an interval of the run. The interval is in seconds after
   * the start. Absent in a closed workload.
   */
  readonly requestedRate?: (fromS: number, toS: number) => number;
  readonly intervals: readonly IntervalMetrics[];
  /** In a search, the number of this run, from 1, and its rate. Each run starts at second 0. */
  readonly step?: { readonly number: number; readonly rate: number };
};

/** Name under which requests that are broken on purpose are measured. */
const INVALID_REQUESTS = 'invalid';

/** Returns the status that requests of the named kind expect. */
export function expectedStatus(endpoint: string): number {
  return endpoint === INVALID_REQUESTS ? 400 : 200;
}

type Counted = {
  readonly errors: Readonly<Record<string, number>>;
  readonly statuses: Readonly<Record<string, number>>;
};

/**
 * Returns the number of failed requests by cause, the most frequent cause first. Each unexpected
 * status is a cause. `endpoints` are keyed by name.
 *
 * @example
 * failuresOf({ swap: { errors: { status: 3, timeout: 1 }, statuses: { 200: 9, 429: 3 } } })
 * // [['status 429', 3], ['timeout', 1]]
 */
export function failuresOf(
  endpoints: Readonly<Record<string, Counted>>,
): readonly (readonly [cause: string, count: number])[] {
  const counts = new Map<string, number>();
  for (const [name, { errors, statuses }] of Object.entries(endpoints)) {
    const expected = String(expectedStatus(name));
    const causes = [
      ...Object.entries(statuses)
        .filter(([status]) => status !== expected)
        .map(([status, count]) => [`status ${status}`, count] as const),
      ...Object.entries(errors).filter(([kind]) => kind !== 'status'),
    ];
    for (const [cause, count] of causes) {
      if (count > 0) counts.set(cause, (counts.get(cause) ?? 0) + count);
    }
  }
  return [...counts].sort((a, b) => b[1] - a[1]);
}

/** Returns the number of failed requests, of any cause. */
export function errorCount({
  errors,
}: {
  readonly errors: Readonly<Record<string, number>>;
}): number {
  return Object.values(errors).reduce((sum, count) => sum + count, 0);
}

/** The metrics that a threshold can bound. */
export const METRICS = [
  'p50',
  'p75',
  'p90',
  'p95',
  'p99',
  'p99.9',
  'p99.99',
  'max',
  'mean',
  'errors',
  'rate',
  'wrong',
] as const;

/** Returns whether a metric is a share, from 0 to 1. */
export function isShare(metric: string): boolean {
  return metric === 'errors' || metric === 'rate';
}
