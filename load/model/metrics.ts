/** Why a request got no reply; `client`: the client's own machine could open no connection. */
export type LossCause = 'timeout' | 'reset' | 'refused' | 'protocol' | 'client';

/** What can be wrong with a request: no reply, another status than expected, or never sent before the run's end. */
export type ErrorKind = LossCause | 'status' | 'unsent';

/** Figures of one endpoint, encoded to be merged and stored: histograms are HdrHistogram V2 base64, in microseconds. */
export type EndpointMetrics = {
  readonly latency: string;
  readonly service: string;
  readonly requests: number;
  /** Of the requests, those that were sent before the schedule's end. */
  readonly sentInTime: number;
  readonly errors: Partial<Record<ErrorKind, number>>;
  readonly statuses: Record<string, number>;
};

/** One stretch of time: what was sent and what ended in it. Histograms as in {@link EndpointMetrics}. */
export type IntervalMetrics = {
  readonly startMs: number;
  readonly sent: number;
  readonly endpoints: Readonly<Record<string, IntervalEndpoint>>;
};

/** What ended at one endpoint in one interval. */
export type IntervalEndpoint = {
  readonly requests: number;
  readonly errors: Partial<Record<ErrorKind, number>>;
  readonly latency: string;
};

/** A snapshot of a run under way. */
export type LoadProgress = {
  readonly elapsedS: number;
  /** Seconds that the run is to take; of a search, its present step. */
  readonly totalS: number;
  /** Requests a second that were due in a stretch of the run, in seconds after its start; absent in a closed workload. */
  readonly askedIn?: (fromS: number, toS: number) => number;
  readonly intervals: readonly IntervalMetrics[];
  /** Of a search: which run this is, from 1, and its rate. Time begins anew with each. */
  readonly step?: { readonly number: number; readonly rate: number };
};

/** Returns how many requests went wrong, whatever the cause. */
export function errorCount({
  errors,
}: {
  readonly errors: Readonly<Record<string, number>>;
}): number {
  return Object.values(errors).reduce((sum, count) => sum + count, 0);
}

/** The figures that a threshold can bound. */
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
