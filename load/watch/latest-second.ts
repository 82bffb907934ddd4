import type { LoadProgress } from '../run/run-load.ts';
import { decodeAll } from '../run/timeline.ts';

/** The figures of one second, all endpoints and processes together. */
export type SecondFigures = {
  readonly startMs: number;
  readonly requests: number;
  readonly errors: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
};

/** Adds intervals of any process; returns the newest second that is as good as complete. */
export type LatestSecond = (progress: LoadProgress) => SecondFigures | undefined;

/** Returns an accumulator that keeps the few newest seconds. */
export function createLatestSecond(): LatestSecond {
  const seconds = new Map<number, { requests: number; errors: number; latencies: string[] }>();
  return ({ intervals }) => {
    for (const { startMs, endpoints } of intervals) {
      const second = seconds.get(startMs) ?? { requests: 0, errors: 0, latencies: [] };
      seconds.set(startMs, second);
      for (const { requests, errors, latency } of Object.values(endpoints)) {
        second.requests += requests;
        second.errors += Object.values(errors).reduce((sum, count) => sum + count, 0);
        second.latencies.push(latency);
      }
    }
    const starts = [...seconds.keys()].sort((a, b) => b - a);
    for (const old of starts.slice(KEPT)) seconds.delete(old);
    // Of several processes, one may not have told of the newest second yet.
    const [newest, before] = starts;
    const startMs = before ?? newest;
    const second = startMs === undefined ? undefined : seconds.get(startMs);
    if (startMs === undefined || second === undefined) return undefined;
    const histogram = decodeAll(second.latencies);
    return {
      startMs,
      requests: second.requests,
      errors: second.errors,
      p50Ms: histogram.getValueAtPercentile(50) / 1000,
      p99Ms: histogram.getValueAtPercentile(99) / 1000,
    };
  };
}

const KEPT = 3;
