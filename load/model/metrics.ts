/** Cause of a missing reply; `client`: the client's machine could not open a connection. */
export type LossCause = 'timeout' | 'reset' | 'refused' | 'protocol' | 'client';

/** Failures of a request: no reply, an unexpected status, or not sent before the end of the run. */
export type ErrorKind = LossCause | 'status' | 'unsent';

/** Metrics of one endpoint, encoded to be merged and stored: histograms are HdrHistogram V2 base64, in microseconds. */
export type EndpointMetrics = {
  readonly latency: string;
  readonly service: string;
  readonly requests: number;
  /** Requests that were sent before the end of the schedule. */
  readonly sentInTime: number;
  readonly errors: Partial<Record<ErrorKind, number>>;
  readonly statuses: Record<string, number>;
};

/** Requests that were sent and that ended in one interval. Histograms as in {@link EndpointMetrics}. */
export type IntervalMetrics = {
  readonly startMs: number;
  readonly sent: number;
  readonly endpoints: Readonly<Record<string, IntervalEndpoint>>;
};

/** Requests to one endpoint that ended in one interval. */
export type IntervalEndpoint = {
  readonly requests: number;
  readonly errors: Partial<Record<ErrorKind, number>>;
  readonly latency: string;
};

/** A snapshot of a run under way. */
export type LoadProgress = {
  readonly elapsedS: number;
  /** Planned seconds of the run; in a search, of the current step. */
  readonly totalS: number;
  /** Requests per second that were due in an interval of the run, in seconds after its start; absent in a closed workload. */
  readonly requestedRate?: (fromS: number, toS: number) => number;
  readonly intervals: readonly IntervalMetrics[];
  /** In a search: number of this run, from 1, and its rate. Each run starts at second 0. */
  readonly step?: { readonly number: number; readonly rate: number };
};

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
