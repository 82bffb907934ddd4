import { mergeHistograms } from '../model/histogram.ts';
import type { EndpointMetrics, IntervalEndpoint, IntervalMetrics } from '../model/metrics.ts';

/**
 * Metrics of a run over time. Intervals become longer during the run, so that memory does not grow.
 */
export type Timeline = {
  readonly add: (intervals: readonly IntervalMetrics[]) => void;
  readonly intervalMs: () => number;
  /** Ascending by start. */
  readonly intervals: () => readonly IntervalMetrics[];
};

/** Options of {@link createTimeline}. */
export type TimelineOptions = {
  /** Length of the intervals. Default: 1000. */
  readonly intervalMs?: number;
  /**
   * Maximum number of intervals. Beyond it, neighbors are merged and the length doubles. Default:
   * 600.
   */
  readonly maxIntervals?: number;
};

/** Returns an empty timeline. The timeline accepts the intervals of all processes. */
export function createTimeline(options: TimelineOptions = {}): Timeline {
  const maxIntervals = options.maxIntervals ?? 600;
  let intervalMs = options.intervalMs ?? 1000;
  let byStart = new Map<number, IntervalMetrics>();

  const put = (interval: IntervalMetrics): void => {
    const startMs = Math.floor(interval.startMs / intervalMs) * intervalMs;
    const existing = byStart.get(startMs);
    byStart.set(startMs, {
      startMs,
      sent: (existing?.sent ?? 0) + interval.sent,
      endpoints:
        existing === undefined
          ? interval.endpoints
          : mergeIntervals(existing.endpoints, interval.endpoints),
    });
  };

  return {
    add(intervals) {
      for (const interval of intervals) put(interval);
      while (byStart.size > maxIntervals) {
        const before = byStart;
        byStart = new Map();
        intervalMs *= 2;
        for (const interval of before.values()) put(interval);
      }
    },
    intervalMs: () => intervalMs,
    intervals: () => [...byStart.values()].sort((a, b) => a.startMs - b.startMs),
  };
}

/** Returns the merged metrics of several processes. */
export function mergeEndpoints(
  parts: readonly Readonly<Record<string, EndpointMetrics>>[],
): Record<string, EndpointMetrics> {
  const merged: Record<string, EndpointMetrics> = {};
  for (const part of parts) {
    for (const [name, metrics] of Object.entries(part)) {
      const existing = merged[name];
      merged[name] =
        existing === undefined
          ? metrics
          : {
              latency: mergeHistograms([existing.latency, metrics.latency]),
              service: mergeHistograms([existing.service, metrics.service]),
              requests: existing.requests + metrics.requests,
              sentInTime: existing.sentInTime + metrics.sentInTime,
              errors: addCounts(existing.errors, metrics.errors),
              statuses: addCounts(existing.statuses, metrics.statuses),
            };
    }
  }
  return merged;
}

function mergeIntervals(
  a: IntervalMetrics['endpoints'],
  b: IntervalMetrics['endpoints'],
): IntervalMetrics['endpoints'] {
  const merged: Record<string, IntervalEndpoint> = { ...a };
  for (const [name, metrics] of Object.entries(b)) {
    const existing = merged[name];
    merged[name] =
      existing === undefined
        ? metrics
        : {
            requests: existing.requests + metrics.requests,
            errors: addCounts(existing.errors, metrics.errors),
            statuses: addCounts(existing.statuses, metrics.statuses),
            latency: mergeHistograms([existing.latency, metrics.latency]),
          };
  }
  return merged;
}

function addCounts<Name extends string>(
  a: Partial<Record<Name, number>>,
  b: Partial<Record<Name, number>>,
): Record<Name, number> {
  const sum = { ...a } as Record<Name, number>;
  for (const [name, count] of Object.entries(b) as [Name, number][]) {
    sum[name] = (sum[name] ?? 0) + count;
  }
  return sum;
}
