import { encodeIntoCompressedBase64, type Histogram } from 'hdr-histogram-js';
import { createHistogram, MAX_TRACKABLE_US } from '../model/histogram.ts';
import type {
  EndpointMetrics,
  ErrorKind,
  IntervalEndpoint,
  IntervalMetrics,
} from '../model/metrics.ts';

/** End of one request. Times are milliseconds after the start of the run. */
export type EndedRequest = {
  readonly endpoint: string;
  readonly dueMs: number;
  readonly sentMs: number;
  readonly endMs: number;
  readonly error?: ErrorKind | undefined;
  readonly status?: number | undefined;
};

/**
 * Collects ended requests in histograms by endpoint and by interval. Memory does not grow with the
 * number of requests.
 */
export type Recorder = {
  /** Counts a request in the interval in which it was sent. */
  readonly countSent: (sentMs: number) => void;
  readonly record: (request: EndedRequest) => void;
  /** Closes and returns the intervals that end at or before `untilMs`. */
  readonly takeIntervals: (untilMs: number) => IntervalMetrics[];
  readonly endpoints: () => Record<string, EndpointMetrics>;
};

/** Options of {@link createRecorder}. */
export type RecorderOptions = {
  /** Requests that were due before this time count only in the intervals. Default: 0. */
  readonly warmUpMs?: number;
  /** Requests that were sent after this time do not count as sent in time. Default: no limit. */
  readonly scheduleEndMs?: number;
};

/**
 * Returns an empty recorder. Latency is measured from when a request was due, or from when it was
 * sent, if that was slightly earlier. Service time is measured from when the request was sent. Both
 * include failed requests, but requests that were never sent have no service time.
 */
export function createRecorder(options: RecorderOptions = {}): Recorder {
  const warmUpMs = options.warmUpMs ?? 0;
  const scheduleEndMs = options.scheduleEndMs ?? Number.POSITIVE_INFINITY;
  const endpoints = new Map<string, OpenMetrics>();
  const intervals = createIntervals();
  return {
    countSent: intervals.countSent,
    record(request) {
      const fromMs = Math.min(request.dueMs, request.sentMs);
      const latencyUs = toMicroseconds(request.endMs - fromMs);
      intervals.record(request, latencyUs);
      if (request.dueMs < warmUpMs) return;
      const metrics = getOrAdd(endpoints, request.endpoint, openMetrics);
      metrics.requests += 1;
      metrics.latency.recordValue(latencyUs);
      if (request.error !== 'unsent') {
        metrics.service.recordValue(toMicroseconds(request.endMs - request.sentMs));
        if (request.sentMs <= scheduleEndMs) metrics.sentInTime += 1;
      }
      count(metrics.errors, request.error);
      count(metrics.statuses, request.status);
    },
    takeIntervals: intervals.take,
    endpoints: () =>
      Object.fromEntries(
        [...endpoints].map(([name, metrics]) => [
          name,
          {
            ...metrics,
            latency: encodeIntoCompressedBase64(metrics.latency),
            service: encodeIntoCompressedBase64(metrics.service),
          },
        ]),
      ),
  };
}

type Intervals = {
  readonly countSent: (sentMs: number) => void;
  readonly record: (request: EndedRequest, latencyUs: number) => void;
  readonly take: (untilMs: number) => IntervalMetrics[];
};

function createIntervals(): Intervals {
  const open = new Map<number, OpenInterval>();
  const spare: Histogram[] = [];
  // Nearly every request is sent and ends in the latest interval.
  let latest: OpenInterval | undefined;
  let latestIndex = -1;
  const intervalAt = (ms: number): OpenInterval => {
    const index = Math.floor(ms / INTERVAL_MS);
    if (latest === undefined || index !== latestIndex) {
      latest = getOrAdd(open, index, () => ({ sent: 0, endpoints: new Map() }));
      latestIndex = index;
    }
    return latest;
  };
  const newEndpoint = (): OpenIntervalEndpoint => ({
    requests: 0,
    errors: {},
    statuses: {},
    latency: spare.pop() ?? createHistogram(),
  });
  const close = ({ latency, ...counts }: OpenIntervalEndpoint): IntervalEndpoint => {
    const closed = { ...counts, latency: encodeIntoCompressedBase64(latency) };
    latency.reset();
    spare.push(latency);
    return closed;
  };
  return {
    countSent(sentMs) {
      intervalAt(sentMs).sent += 1;
    },
    record({ endMs, endpoint, error, status }, latencyUs) {
      const metrics = getOrAdd(intervalAt(endMs).endpoints, endpoint, newEndpoint);
      metrics.requests += 1;
      count(metrics.errors, error);
      if (error === 'status') count(metrics.statuses, status);
      metrics.latency.recordValue(latencyUs);
    },
    take(untilMs) {
      latest = undefined;
      const over = [...open]
        .filter(([index]) => (index + 1) * INTERVAL_MS <= untilMs)
        .sort(([a], [b]) => a - b);
      return over.map(([index, { sent, endpoints }]) => {
        open.delete(index);
        const closed = [...endpoints].map(([name, metrics]) => [name, close(metrics)]);
        return { startMs: index * INTERVAL_MS, sent, endpoints: Object.fromEntries(closed) };
      });
    },
  };
}

type OpenInterval = { sent: number; readonly endpoints: Map<string, OpenIntervalEndpoint> };

type OpenIntervalEndpoint = Omit<IntervalEndpoint, 'requests' | 'statuses' | 'latency'> & {
  requests: number;
  readonly statuses: Record<string, number>;
  readonly latency: Histogram;
};

type OpenMetrics = Omit<EndpointMetrics, 'requests' | 'sentInTime' | 'latency' | 'service'> & {
  readonly latency: Histogram;
  readonly service: Histogram;
  requests: number;
  sentInTime: number;
};

function openMetrics(): OpenMetrics {
  return {
    latency: createHistogram(),
    service: createHistogram(),
    requests: 0,
    sentInTime: 0,
    errors: {},
    statuses: {},
  };
}

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = create();
    map.set(key, value);
  }
  return value;
}

function count<Name extends string | number>(
  counts: Partial<Record<Name, number>>,
  name: Name | undefined,
): void {
  if (name !== undefined) counts[name] = (counts[name] ?? 0) + 1;
}

function toMicroseconds(ms: number): number {
  return Math.min(MAX_TRACKABLE_US, Math.max(1, Math.round(ms * 1000)));
}

const INTERVAL_MS = 1000;
