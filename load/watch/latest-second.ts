import { decodeAll, percentileMs } from '../model/histogram.ts';
import { errorCount, type LoadProgress } from '../model/metrics.ts';

/** Metrics of one second, over all endpoints and processes. */
export type SecondMetrics = NonNullable<
  ReturnType<ReturnType<typeof createLatestSecond>>['second']
>;

type Second = { sent: number; ended: number; latencies: string[] };

/**
 * Returns a function that takes the intervals of any process. The function returns the number of
 * errors so far, and the newest second that is nearly complete. Only the newest seconds of the
 * current run are stored.
 */
export function createLatestSecond() {
  const seconds = new Map<number, Second>();
  let step: number | undefined;
  let errors = 0;
  return (progress: LoadProgress) => {
    // Each run of a search starts at second 0.
    if (progress.step?.number !== step) seconds.clear();
    step = progress.step?.number;
    for (const { startMs, sent, endpoints } of progress.intervals) {
      const second = seconds.get(startMs) ?? { sent: 0, ended: 0, latencies: [] };
      seconds.set(startMs, second);
      second.sent += sent;
      for (const metrics of Object.values(endpoints)) {
        second.ended += metrics.requests;
        second.latencies.push(metrics.latency);
        errors += errorCount(metrics);
      }
    }
    const starts = [...seconds.keys()].sort((a, b) => b - a);
    for (const old of starts.slice(MAX_SECONDS)) seconds.delete(old);
    // One of several processes may not have reported the newest second yet.
    const [newest, before] = starts;
    const startMs = before ?? newest;
    const second = startMs === undefined ? undefined : seconds.get(startMs);
    if (startMs === undefined || second === undefined) return { errors };
    const histogram = decodeAll(second.latencies);
    const at = (percentile: number) => percentileMs(histogram, percentile);
    const { sent, ended } = second;
    const latency = { p50Ms: at(50), p90Ms: at(90), p99Ms: at(99) };
    return { errors, second: { startS: startMs / 1000, sent, ended, ...latency } };
  };
}

const MAX_SECONDS = 3;
