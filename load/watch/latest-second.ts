import { decodeAll, quantilesOf } from '../model/histogram.ts';
import type { LoadProgress } from '../model/metrics.ts';

/** The figures of one second, all endpoints and processes together. */
export type SecondFigures = NonNullable<ReturnType<ReturnType<typeof createLatestSecond>>>;

/** What was sent in one second, and what ended in it, well or not. */
type Second = { sent: number; ended: number; latencies: string[] };

/**
 * Returns what adds intervals of any process, and returns the newest second that
 * is as good as complete. It keeps the few newest seconds of the present run.
 */
export function createLatestSecond() {
  const seconds = new Map<number, Second>();
  let step: number | undefined;
  return (progress: LoadProgress) => {
    // Each run of a search has a second 0 of its own.
    if (progress.step?.number !== step) seconds.clear();
    step = progress.step?.number;
    for (const { startMs, sent, endpoints } of progress.intervals) {
      const second = seconds.get(startMs) ?? { sent: 0, ended: 0, latencies: [] };
      seconds.set(startMs, second);
      second.sent += sent;
      for (const { requests, latency } of Object.values(endpoints)) {
        second.ended += requests;
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
    const { at } = quantilesOf(decodeAll(second.latencies));
    const { sent, ended } = second;
    const latency = { p50Ms: at(0.5), p90Ms: at(0.9), p99Ms: at(0.99) };
    return { startS: startMs / 1000, sent, ended, ...latency };
  };
}

const KEPT = 3;
