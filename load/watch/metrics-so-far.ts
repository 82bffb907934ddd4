import { createHistogram, decodeAll, percentilesOf } from '../model/histogram.ts';
import type { ThresholdResult } from '../model/load-result.ts';
import { failuresOf, type IntervalEndpoint, type LoadProgress } from '../model/metrics.ts';
import type { Threshold } from '../model/profile.ts';
import { checkThresholds, type MeasuredMetrics } from '../thresholds/check-thresholds.ts';

type EndpointSoFar = MeasuredMetrics['endpoints'][number] & {
  readonly failures: ReturnType<typeof failuresOf>;
};

/** Metrics of a run so far, without its warm-up. */
export type MetricsSoFar = {
  /** The first endpoint is `all`. The list is empty if no request has ended. */
  readonly endpoints: readonly EndpointSoFar[];
  readonly thresholds: readonly ThresholdResult[];
};

type Sum = {
  requests: number;
  readonly errors: Record<string, number>;
  readonly statuses: Record<string, number>;
  readonly latency: ReturnType<typeof createHistogram>;
};

/**
 * Returns a function that takes the intervals of any process and returns the metrics of the current
 * run so far.
 */
export function createMetricsSoFar(thresholds: readonly Threshold[]) {
  const sums = new Map<string, Sum>();
  const sentByMs = new Map<number, number>();
  let step: number | undefined;
  return (progress: LoadProgress): MetricsSoFar => {
    if (progress.step?.number !== step) {
      sums.clear();
      sentByMs.clear();
    }
    step = progress.step?.number;
    const warmUpMs = progress.warmUpS * 1000;
    for (const interval of progress.intervals) {
      if (interval.startMs < warmUpMs) continue;
      sentByMs.set(interval.startMs, (sentByMs.get(interval.startMs) ?? 0) + interval.sent);
      for (const [name, metrics] of Object.entries(interval.endpoints)) {
        for (const each of ['all', name]) addTo(sums, each, metrics);
      }
    }
    const { warmUpS, sampleCount } = progress;
    const sentShare = shareSent(sentByMs, progress);
    const named = Object.fromEntries([...sums].filter(([name]) => name !== 'all'));
    const endpoints = [...sums]
      .sort(([a], [b]) => Number(b === 'all') - Number(a === 'all') || a.localeCompare(b))
      .map(
        ([name, { requests, errors, latency }]): EndpointSoFar => ({
          ...{ name, requests, errors },
          sentInTime: sentShare * requests,
          latencyMs: percentilesOf(latency),
          failures: failuresOf(
            name === 'all' ? named : Object.fromEntries([[name, sums.get(name) as Sum]]),
          ),
        }),
      );
    const metrics = { endpoints, series: [], intervalS: 1, sampleCount, warmUpS };
    return { endpoints, thresholds: checkThresholds(thresholds, metrics) };
  };
}

/** Excludes the newest second if some process has not reported it yet. */
function shareSent(
  sentByMs: ReadonlyMap<number, number>,
  { requestedRate, warmUpS }: LoadProgress,
): number {
  const newestMs = Math.max(...sentByMs.keys());
  const lengthS = newestMs / 1000 - warmUpS;
  if (requestedRate === undefined || !(lengthS > 0)) return 1;
  const before = [...sentByMs].filter(([startMs]) => startMs < newestMs);
  const sent = before.reduce((sum, [, count]) => sum + count, 0);
  const due = requestedRate(warmUpS, newestMs / 1000) * lengthS;
  return due > 0 ? Math.min(1, sent / due) : 1;
}

function addTo(sums: Map<string, Sum>, name: string, metrics: IntervalEndpoint): void {
  const sum = sums.get(name) ?? {
    ...{ requests: 0, errors: {}, statuses: {}, latency: createHistogram() },
  };
  sums.set(name, sum);
  sum.requests += metrics.requests;
  addCounts(sum.errors, metrics.errors);
  addCounts(sum.statuses, metrics.statuses);
  sum.latency.add(decodeAll([metrics.latency]));
}

function addCounts(sum: Record<string, number>, counts: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(counts)) sum[name] = (sum[name] ?? 0) + count;
}
