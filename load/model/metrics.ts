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
