import type { Report } from '../model/report.ts';

/** Gathers how long exchanges took, by operation. */
export type Timings = {
  readonly add: (endpoint: string | undefined, durationMs: number) => void;
  readonly summary: () => Report['timings'];
};

/** Timings of nothing yet. */
export function createTimings(): Timings {
  const byEndpoint = new Map<string, number[]>();
  return {
    add: (endpoint = 'other', durationMs) => {
      const durations = byEndpoint.get(endpoint) ?? [];
      durations.push(durationMs);
      byEndpoint.set(endpoint, durations);
    },
    summary: () =>
      [...byEndpoint].map(([endpoint, durations]) => {
        const sorted = durations.toSorted((a, b) => a - b);
        return {
          endpoint,
          requests: sorted.length,
          p50Ms: percentile(sorted, 0.5),
          p99Ms: percentile(sorted, 0.99),
          maxMs: percentile(sorted, 1),
        };
      }),
  };
}

function percentile(sorted: readonly number[], share: number): number {
  const value = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
  return Math.round(value * 10) / 10;
}
