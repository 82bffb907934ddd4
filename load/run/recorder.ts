import { encodeIntoCompressedBase64, type Histogram } from 'hdr-histogram-js';
import type {
  EndpointFigures,
  ErrorKind,
  IntervalEndpoint,
  IntervalFigures,
} from '../model/figures.ts';
import { createHistogram, MAX_TRACKABLE_US } from '../model/histogram.ts';

/** How one request ended. Times are milliseconds after the start of the run. */
export type Sample = {
  readonly endpoint: string;
  readonly dueMs: number;
  readonly sentMs: number;
  readonly endMs: number;
  readonly error?: ErrorKind | undefined;
  readonly status?: number | undefined;
};

/** Collects samples into histograms by endpoint and by interval; memory does not grow with the number of samples. */
export type Recorder = {
  /** Counts a request in the interval in which it was sent. */
  readonly countSent: (sentMs: number) => void;
  readonly record: (sample: Sample) => void;
  /** Closes and returns the intervals that end at or before `untilMs`. */
  readonly takeIntervals: (untilMs: number) => IntervalFigures[];
  readonly endpoints: () => Record<string, EndpointFigures>;
};

/** Options of {@link createRecorder}. */
export type RecorderOptions = {
  /** Samples due earlier count in the intervals only. Default 0. */
  readonly warmUpMs?: number;
  /** What is sent later is not in time. Default: never. */
  readonly scheduleEndMs?: number;
  /** Length of an interval. Default 1000. */
  readonly intervalMs?: number;
};

/** Returns an empty recorder. Latency runs from when a request was due, service time from when it was sent; errors are in both. */
export function createRecorder(options: RecorderOptions = {}): Recorder {
  const warmUpMs = options.warmUpMs ?? 0;
  const scheduleEndMs = options.scheduleEndMs ?? Number.POSITIVE_INFINITY;
  const intervalMs = options.intervalMs ?? 1000;
  const endpoints = new Map<string, OpenFigures>();
  const intervals = new Map<number, OpenInterval>();
  const spare: Histogram[] = [];

  // Nearly every request is sent and ends in the interval that was asked for last.
  let latest: OpenInterval | undefined;
  let latestIndex = -1;
  const intervalAt = (ms: number): OpenInterval => {
    const index = Math.floor(ms / intervalMs);
    if (latest !== undefined && index === latestIndex) return latest;
    const interval = intervals.get(index) ?? { sent: 0, endpoints: new Map() };
    intervals.set(index, interval);
    latest = interval;
    latestIndex = index;
    return interval;
  };
  const endpointOf = ({ endpoints }: OpenInterval, endpoint: string): OpenIntervalEndpoint => {
    let figures = endpoints.get(endpoint);
    if (figures === undefined) {
      figures = { requests: 0, errors: {}, latency: spare.pop() ?? createHistogram() };
      endpoints.set(endpoint, figures);
    }
    return figures;
  };

  return {
    countSent(sentMs) {
      intervalAt(sentMs).sent += 1;
    },
    record(sample) {
      const latencyUs = toMicroseconds(sample.endMs - sample.dueMs);
      const interval = endpointOf(intervalAt(sample.endMs), sample.endpoint);
      interval.requests += 1;
      count(interval.errors, sample.error);
      interval.latency.recordValue(latencyUs);
      if (sample.dueMs < warmUpMs) return;
      let figures = endpoints.get(sample.endpoint);
      if (figures === undefined) {
        figures = openFigures();
        endpoints.set(sample.endpoint, figures);
      }
      figures.requests += 1;
      figures.latency.recordValue(latencyUs);
      if (sample.error !== 'unsent') {
        figures.service.recordValue(toMicroseconds(sample.endMs - sample.sentMs));
        if (sample.sentMs <= scheduleEndMs) figures.sentInTime += 1;
      }
      count(figures.errors, sample.error);
      if (sample.status !== undefined) {
        figures.statuses[sample.status] = (figures.statuses[sample.status] ?? 0) + 1;
      }
    },
    takeIntervals(untilMs) {
      const taken: IntervalFigures[] = [];
      latest = undefined;
      for (const [index, interval] of intervals) {
        if ((index + 1) * intervalMs > untilMs) continue;
        const endpoints: Record<string, IntervalEndpoint> = {};
        for (const [endpoint, { requests, errors, latency }] of interval.endpoints) {
          endpoints[endpoint] = { requests, errors, latency: encodeIntoCompressedBase64(latency) };
          latency.reset();
          spare.push(latency);
        }
        taken.push({ startMs: index * intervalMs, sent: interval.sent, endpoints });
        intervals.delete(index);
      }
      return taken.sort((a, b) => a.startMs - b.startMs);
    },
    endpoints() {
      return Object.fromEntries(
        [...endpoints].map(([name, figures]) => [
          name,
          {
            ...figures,
            latency: encodeIntoCompressedBase64(figures.latency),
            service: encodeIntoCompressedBase64(figures.service),
          },
        ]),
      );
    },
  };
}

type OpenInterval = { sent: number; readonly endpoints: Map<string, OpenIntervalEndpoint> };

type OpenIntervalEndpoint = {
  requests: number;
  readonly errors: Partial<Record<ErrorKind, number>>;
  readonly latency: Histogram;
};

function count(errors: Partial<Record<ErrorKind, number>>, kind: ErrorKind | undefined): void {
  if (kind !== undefined) errors[kind] = (errors[kind] ?? 0) + 1;
}

type OpenFigures = {
  readonly latency: Histogram;
  readonly service: Histogram;
  requests: number;
  sentInTime: number;
  readonly errors: Partial<Record<ErrorKind, number>>;
  readonly statuses: Record<string, number>;
};

function openFigures(): OpenFigures {
  return {
    latency: createHistogram(),
    service: createHistogram(),
    requests: 0,
    sentInTime: 0,
    errors: {},
    statuses: {},
  };
}

function toMicroseconds(ms: number): number {
  return Math.min(MAX_TRACKABLE_US, Math.max(1, Math.round(ms * 1000)));
}
