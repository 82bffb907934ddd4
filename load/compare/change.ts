/** Compared metrics, with their share. */
export const COMPARED = { p50: 0.5, p90: 0.9, p99: 0.99, 'p99.9': 0.999 } as const;
export type ComparedMetric = keyof typeof COMPARED | 'errors';

/**
 * Change of one metric of one endpoint. Latencies change by a share of the
 * base (0.1 is a tenth slower), errors by the difference of their shares.
 */
export type Change = {
  readonly endpoint: string;
  readonly metric: ComparedMetric;
  readonly base: number;
  readonly head: number;
  readonly change: number;
  /** Interval of the true change, with 95 % confidence over all endpoints of one metric together. */
  readonly interval: readonly [low: number, high: number];
  /** `unclear`: too few requests to say. */
  readonly verdict: 'regression' | 'improvement' | 'noise' | 'unclear';
};
