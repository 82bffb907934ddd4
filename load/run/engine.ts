import { performance } from 'node:perf_hooks';
import autocannon from 'autocannon';
import type { EndpointFigures, ErrorKind, IntervalFigures } from '../model/figures.ts';
import { createHistogram } from '../model/histogram.ts';
import type { LoadRequest, RequestSource } from '../model/load-request.ts';
import { type Connection, takeOver } from './connection.ts';
import { createRecorder } from './recorder.ts';
import { dueTimes, type Share, type Stage, totalDurationS } from './schedule.ts';

/** How requests arrive: on a schedule that does not wait for replies, or as fast as the connections go. */
export type Workload =
  | { readonly model: 'open'; readonly stages: readonly Stage[] }
  | { readonly model: 'closed'; readonly durationS: number };

/** What one process is to do. */
export type EngineOptions = {
  /** Origin of the service: scheme, host, port. */
  readonly origin: URL;
  readonly workload: Workload;
  readonly connections: number;
  readonly timeoutMs: number;
  readonly warmUpS: number;
  readonly requestAt: RequestSource;
  /** Which share of the schedule is this process's. */
  readonly share: Share;
  /** Of the replies, about so many a second are handed to `onSample`, spread evenly; all, where fewer come. */
  readonly samplesPerSecond: number;
  readonly onSample: (reply: SampledReply) => void;
  /** Every second: the intervals that have ended. */
  readonly onIntervals: (intervals: IntervalFigures[]) => void;
  /** Called once every connection has been tried; the run starts when it resolves. Default: at once. */
  readonly whenConnected?: () => Promise<void>;
  /** Ends the run early; what was measured is returned. */
  readonly signal?: AbortSignal;
};

/** A reply that is to be judged by the rules. */
export type SampledReply = {
  readonly request: LoadRequest;
  readonly status: number;
  /** Names and values in turns, as received. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  /** When it was due, after the start of the run. */
  readonly dueMs: number;
  readonly latencyMs: number;
};

/** What one process measured. */
export type EngineResult = {
  readonly endpoints: Record<string, EndpointFigures>;
  /** Requests sent, on time or late, warm-up included. */
  readonly sent: number;
  readonly durationMs: number;
  /** How late requests went out although a connection was free: the client's own fault. */
  readonly clientLag: { readonly p99Ms: number; readonly maxMs: number };
  /** Processor time of this process over the run's time: 1 is one core. */
  readonly cpu: number;
  readonly aborted: boolean;
};

/** Plays a workload against a service and returns what was measured. Every request that was due is in the figures. */
export function runEngine(options: EngineOptions): Promise<EngineResult> {
  return new Promise((resolve) => {
    const { origin, workload, timeoutMs } = options;
    const prefix = origin.pathname.replace(/\/+$/, '');
    const lag = createHistogram();
    const tail = ` HTTP/1.1\r\nHost: ${origin.host}\r\nAccept: application/json\r\nConnection: keep-alive\r\n\r\n`;
    const durationMs =
      1000 * (workload.model === 'open' ? totalDurationS(workload.stages) : workload.durationS);
    const recorder = createRecorder({
      warmUpMs: options.warmUpS * 1000,
      scheduleEndMs: durationMs,
    });
    const schedule =
      workload.model === 'open' ? dueTimes(workload.stages, options.share) : undefined;
    const free: Connection[] = [];
    const inFlight = new Map<Connection, InFlight>();
    // The clock starts when every connection has been tried: connecting is not the service's latency.
    let startedAt = Number.POSITIVE_INFINITY;
    let unsettled = options.connections;
    const cpuAtStart = process.cpuUsage();
    const clock = (): number => performance.now() - startedAt;
    let nextDueMs = schedule?.next().value ?? undefined;
    let waitedForConnection = false;
    let wake: NodeJS.Timeout | NodeJS.Immediate | undefined;
    let number = options.share.index;
    let sent = 0;
    let samplesThisSecond = 0;
    let sentBefore = 0;
    let sampleEvery = 1;
    let finished = false;

    const dispatch = (connection: Connection, dueMs: number): void => {
      const request = options.requestAt(number);
      number += options.share.count;
      const keepBody = sent % sampleEvery === 0 && samplesThisSecond < options.samplesPerSecond;
      if (keepBody) samplesThisSecond += 1;
      const sentMs = clock();
      inFlight.set(connection, { request, dueMs, sentMs });
      sent += 1;
      recorder.countSent(sentMs);
      connection.send(`GET ${prefix}${request.target}${tail}`, keepBody);
    };

    const pump = (): void => {
      if (finished || startedAt === Number.POSITIVE_INFINITY) return;
      clearWake();
      if (schedule === undefined) {
        while (free.length > 0 && clock() < durationMs) {
          dispatch(free.pop() as Connection, clock());
        }
        return;
      }
      for (;;) {
        const nowMs = clock();
        if (nextDueMs === undefined || nextDueMs > nowMs) break;
        const connection = free.pop();
        if (connection === undefined) {
          waitedForConnection = true;
          return;
        }
        if (!waitedForConnection) lag.recordValue(Math.round((nowMs - nextDueMs) * 1000));
        dispatch(connection, nextDueMs);
        nextDueMs = schedule.next().value ?? undefined;
      }
      waitedForConnection = false;
      if (nextDueMs === undefined) return;
      const waitMs = nextDueMs - clock();
      // A timer is up to a millisecond late; the last stretch is polled.
      wake = waitMs > 2 ? setTimeout(pump, Math.floor(waitMs - 1)) : setImmediate(pump);
    };
    const clearWake = (): void => {
      if (wake === undefined) return;
      clearTimeout(wake as NodeJS.Timeout);
      clearImmediate(wake as NodeJS.Immediate);
      wake = undefined;
    };

    const end = (connection: Connection, error: ErrorKind | undefined, status?: number): void => {
      const flight = inFlight.get(connection);
      if (flight === undefined) return;
      inFlight.delete(connection);
      const { request, dueMs, sentMs } = flight;
      recorder.record({
        endpoint: request.endpoint,
        dueMs,
        sentMs,
        endMs: clock(),
        error,
        status,
      });
    };

    const tracker = autocannon(
      {
        url: origin.href,
        connections: options.connections,
        // Never its own: the longest that a timer can take, in seconds.
        duration: 2_147_483,
        timeout: 2_147_483,
        sampleInt: 100,
        setupClient: (client) => {
          takeOver(client, {
            onSettled() {
              unsettled -= 1;
              if (unsettled === 0) connected();
            },
            onFree(connection) {
              free.push(connection);
              // A wake-up is set already where nothing is due: setting it anew would cost more than the reply.
              if (schedule === undefined || (nextDueMs !== undefined && nextDueMs <= clock()))
                pump();
            },
            onReply(connection, status, content) {
              const flight = inFlight.get(connection);
              const expected = flight?.request.expect === 'refusal' ? 400 : 200;
              end(connection, status === expected ? undefined : 'status', status);
              if (flight === undefined || content === undefined) return;
              const { request, dueMs } = flight;
              options.onSample({ request, status, ...content, dueMs, latencyMs: clock() - dueMs });
            },
            onLoss(connection, cause) {
              end(connection, cause);
            },
          });
        },
      },
      () => {},
    );

    let everySecond: NodeJS.Timeout | undefined;
    let deadlines: NodeJS.Timeout | undefined;
    let isConnected = false;
    const connected = (): void => {
      if (isConnected) return;
      isConnected = true;
      clearTimeout(patience);
      void (options.whenConnected?.() ?? Promise.resolve()).then(start);
    };
    const start = (): void => {
      if (finished) return;
      startedAt = performance.now();
      everySecond = setInterval(() => {
        samplesThisSecond = 0;
        sampleEvery = Math.max(1, Math.floor((sent - sentBefore) / options.samplesPerSecond));
        sentBefore = sent;
        options.onIntervals(recorder.takeIntervals(clock()));
      }, 1000);
      deadlines = setInterval(checkDeadlines, 5);
      pump();
    };
    const patience = setTimeout(connected, Math.min(timeoutMs, MOST_CONNECT_MS));
    const checkDeadlines = (): void => {
      const nowMs = clock();
      // In the order of sending, so the first that has time left ends the search.
      for (const [connection, { sentMs }] of inFlight) {
        if (nowMs - sentMs < timeoutMs) break;
        connection.expire();
      }
      const drained = nextDueMs === undefined && inFlight.size === 0;
      if (nowMs >= durationMs && (drained || nowMs >= durationMs + timeoutMs)) finish(false);
    };

    const finish = (aborted: boolean): void => {
      if (finished) return;
      finished = true;
      clearWake();
      clearTimeout(patience);
      clearInterval(everySecond);
      clearInterval(deadlines);
      options.signal?.removeEventListener('abort', onAbort);
      const endMs = Math.max(0, clock());
      // A run cut short says nothing of what it cut off: what was in the air, and what was not yet due.
      if (!aborted) for (const connection of [...inFlight.keys()]) end(connection, 'timeout');
      const lastDueMs = aborted ? clock() : Number.POSITIVE_INFINITY;
      while (nextDueMs !== undefined && nextDueMs <= lastDueMs) {
        const { endpoint } = options.requestAt(number);
        number += options.share.count;
        recorder.record({ endpoint, dueMs: nextDueMs, sentMs: endMs, endMs, error: 'unsent' });
        nextDueMs = schedule?.next().value ?? undefined;
      }
      tracker.stop();
      options.onIntervals(recorder.takeIntervals(Number.POSITIVE_INFINITY));
      const { user, system } = process.cpuUsage(cpuAtStart);
      resolve({
        endpoints: recorder.endpoints(),
        sent,
        durationMs: endMs,
        clientLag: { p99Ms: lag.getValueAtPercentile(99) / 1000, maxMs: lag.maxValue / 1000 },
        cpu: endMs === 0 ? 0 : (user + system) / 1000 / endMs,
        aborted,
      });
    };
    const onAbort = (): void => finish(true);
    options.signal?.addEventListener('abort', onAbort);
    if (options.signal?.aborted) finish(true);
  });
}

type InFlight = { readonly request: LoadRequest; readonly dueMs: number; readonly sentMs: number };

const MOST_CONNECT_MS = 3000;
