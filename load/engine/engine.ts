import type { Histogram } from 'hdr-histogram-js';
import { type Clock, SYSTEM_CLOCK } from '../../conformance/client/clock.ts';
import type { LoadRequest } from '../mix/request-mix.ts';
import { createHistogram } from '../model/histogram.ts';
import type { ErrorKind } from '../model/metrics.ts';
import { type Connect, type Connection, type ConnectionEvents, connect } from './connection.ts';
import { createRecorder, type Recorder } from './recorder.ts';
import {
  createSampler,
  isExpected,
  type RunOptions,
  type RunResult,
  type Sampler,
} from './run-options.ts';
import { dueTimes, type Stage, totalDurationS } from './schedule.ts';

/** Options of one process in an open workload, which sends its share of a schedule. */
export type EngineOptions = RunOptions & { readonly stages: readonly Stage[] };

/** A clock that also calls back at intervals, and can stop the thread. */
export type EngineClock = Clock & {
  /** Starts a repeated callback. Returns a function that stops it. */
  readonly every: (ms: number, callBack: () => void) => () => void;
  /** Stops this thread for the given milliseconds, fractions included; no callback runs during that time. */
  readonly hold: (ms: number) => void;
};

const SYSTEM_ENGINE_CLOCK: EngineClock = {
  ...SYSTEM_CLOCK,
  every(ms, callBack) {
    const timer = setInterval(callBack, ms);
    return () => clearInterval(timer);
  },
  hold: (ms) => void Atomics.wait(NEVER_CHANGED, 0, 0, ms),
};

const NEVER_CHANGED = new Int32Array(new SharedArrayBuffer(4));

/** Clock and connections of an engine: the machine's, or those of a simulation. */
export type Platform = { readonly clock: EngineClock; readonly connect: Connect };

const REAL: Platform = { clock: SYSTEM_ENGINE_CLOCK, connect };

/** One run of the engine, from the first connection to the last reply. */
type Run = {
  readonly options: EngineOptions;
  readonly clock: EngineClock;
  readonly schedule: Iterator<number, void>;
  readonly durationMs: number;
  readonly recorder: Recorder;
  readonly sampler: Sampler;
  readonly lag: Histogram;
  readonly free: Connection[];
  /** In the order of sending. */
  readonly inFlight: Map<Connection, InFlight>;
  /** Functions that cancel pending callbacks. */
  readonly cancels: (() => void)[];
  isRunning: boolean;
  /** The clock starts when every connection has been tried: connecting is not part of the service's latency. */
  startedAtMs: number;
  cpuAtStart: NodeJS.CpuUsage;
  /** Number of the next request, and when it is due; undefined after the last one. */
  nextNumber: number;
  nextDueMs: number | undefined;
  sent: number;
  sentAgain: number;
  /** Whether the next request is late because no connection was free, which is not the client's fault. */
  waitedForConnection: boolean;
  /** Replies read in this turn of the event loop while every connection was busy. */
  repliesInTurn: number;
  /** Time of the pending wake-up. */
  wakeMs: number;
  cancelWake: () => void;
  onTried: () => void;
};

type InFlight = { readonly request: LoadRequest; readonly dueMs: number; readonly sentMs: number };

/** Runs an open workload against a service and returns its metrics. They include every request that was due. */
export async function runEngine(
  options: EngineOptions,
  platform: Platform = REAL,
): Promise<RunResult> {
  const run = createRun(options, platform.clock);
  const aborted = whenAborted(run);
  const connected = whenTried(run).then(() => options.whenConnected?.());
  const { origin, connections, connectOptions } = options;
  const disconnect = platform.connect(origin, connections, eventsOf(run), connectOptions);
  await Promise.race([aborted, connected]);
  if (!options.signal?.aborted) await Promise.race([aborted, sendAll(run)]);
  const result = await conclude(run);
  disconnect();
  return result;
}

function createRun(options: EngineOptions, clock: EngineClock): Run {
  const durationMs = 1000 * totalDurationS(options.stages);
  const schedule = dueTimes(options.stages, options.share);
  return {
    options,
    clock,
    schedule,
    durationMs,
    recorder: createRecorder({ warmUpMs: options.warmUpS * 1000, scheduleEndMs: durationMs }),
    sampler: createSampler(options.samplesPerSecond),
    lag: createHistogram(),
    free: [],
    inFlight: new Map(),
    cancels: [],
    isRunning: false,
    startedAtMs: Number.POSITIVE_INFINITY,
    cpuAtStart: process.cpuUsage(),
    nextNumber: options.share.index,
    nextDueMs: schedule.next().value ?? undefined,
    sent: 0,
    sentAgain: 0,
    waitedForConnection: false,
    repliesInTurn: 0,
    wakeMs: Number.POSITIVE_INFINITY,
    cancelWake: () => {},
    onTried: () => {},
  };
}

/** Returns the milliseconds since the start of the run; below 0 before it. */
function elapsedMs({ clock, startedAtMs }: Run): number {
  return clock.now() - startedAtMs;
}

function takeRequest(run: Run): LoadRequest {
  const request = run.options.requestAt(run.nextNumber);
  run.nextNumber += run.options.share.count;
  run.nextDueMs = run.schedule.next().value ?? undefined;
  return request;
}

function whenAborted({ options: { signal }, cancels }: Run): Promise<void> {
  return new Promise((resolve) => {
    const onAbort = (): void => resolve();
    signal?.addEventListener('abort', onAbort);
    cancels.push(() => signal?.removeEventListener('abort', onAbort));
    if (signal?.aborted) resolve();
  });
}

/** Resolves once every connection has been tried, or after a time limit. */
function whenTried(run: Run): Promise<void> {
  const { connections, timeoutMs } = run.options;
  return new Promise((resolve) => {
    let untried = connections;
    run.onTried = () => {
      untried -= 1;
      if (untried === 0) resolve();
    };
    run.cancels.push(run.clock.after(Math.min(timeoutMs, MAX_CONNECT_MS), resolve));
  });
}

function eventsOf(run: Run): ConnectionEvents {
  return {
    onTried: () => run.onTried(),
    onFree(connection) {
      run.free.push(connection);
      if (!run.isRunning) return;
      // If nothing is due, a wake-up is already set: setting it again would cost more than the reply.
      const nowMs = elapsedMs(run);
      const dueMs = run.nextDueMs;
      if (dueMs !== undefined && dueMs <= nowMs + earlyMs(run)) sendDue(run);
      if (run.free.length > 0) return;
      if (run.repliesInTurn === 0) run.clock.after(0, () => endTurn(run));
      run.repliesInTurn += 1;
    },
    onReply(connection, status, content) {
      const flight = run.inFlight.get(connection);
      if (flight === undefined) return;
      const { request, dueMs, sentMs } = flight;
      settle(run, connection, isExpected(request, status) ? undefined : 'status', status);
      if (content === undefined) return;
      const latencyMs = elapsedMs(run) - Math.min(dueMs, sentMs);
      run.options.onSample({ request, status, ...content, dueMs, latencyMs });
    },
    onSentAgain() {
      run.sentAgain += 1;
    },
    onLoss: (connection, cause) => settle(run, connection, cause),
  };
}

/** Starts the clock and sends the requests; resolves when all are settled, or the last one has timed out. */
function sendAll(run: Run): Promise<void> {
  const { clock, options, recorder, sampler } = run;
  run.isRunning = true;
  run.startedAtMs = clock.now();
  run.cpuAtStart = process.cpuUsage();
  const everySecond = (): void => {
    sampler.endSecond();
    options.onIntervals(recorder.takeIntervals(elapsedMs(run)));
  };
  return new Promise((resolve) => {
    let cancelCheck = (): void => {};
    const checkDeadlines = (): void => {
      expireOverdue(run);
      if (isOver(run)) resolve();
      cancelCheck = clock.after(untilDeadlineMs(run), checkDeadlines);
    };
    run.cancels.push(clock.every(1000, everySecond), () => cancelCheck());
    sendDue(run);
    checkDeadlines();
  });
}

/** Sends every due request while a connection is free, and sets the next wake-up. */
function sendDue(run: Run): void {
  const { free, lag } = run;
  for (;;) {
    const nowMs = elapsedMs(run);
    const dueMs = run.nextDueMs;
    if (dueMs === undefined) return;
    if (dueMs > nowMs + earlyMs(run)) {
      run.waitedForConnection = false;
      wakeAt(run, dueMs, nowMs);
      return;
    }
    if (dueMs > nowMs + MAX_EARLY_MS) {
      run.waitedForConnection = false;
      cancelWake(run);
      run.clock.hold(dueMs - nowMs);
      continue;
    }
    const connection = free.pop();
    if (connection === undefined) {
      run.waitedForConnection = true;
      return;
    }
    if (!run.waitedForConnection) lag.recordValue(Math.max(0, Math.round((nowMs - dueMs) * 1000)));
    send(run, connection, dueMs);
  }
}

/** Sets the next wake-up, unless a pending one is early enough: at high rates that would cost more than a request. */
function wakeAt(run: Run, dueMs: number, nowMs: number): void {
  if (run.wakeMs <= dueMs + MAX_EARLY_MS) return;
  cancelWake(run);
  const waitMs = dueMs - nowMs;
  const sleepMs = waitMs < LONG_WAIT_MS ? Math.round(waitMs) : Math.floor(waitMs) - 1;
  run.wakeMs = nowMs + sleepMs;
  run.cancelWake = run.clock.after(sleepMs, () => {
    run.wakeMs = Number.POSITIVE_INFINITY;
    sendDue(run);
  });
}

function cancelWake(run: Run): void {
  run.cancelWake();
  run.wakeMs = Number.POSITIVE_INFINITY;
}

/** Returns how long before its due time a request is handled: while nothing is in flight, the thread can wait for it. */
function earlyMs({ inFlight }: Run): number {
  return inFlight.size === 0 ? MAX_HOLD_MS : MAX_EARLY_MS;
}

/**
 * Ends a turn of the event loop in which replies were read. If every connection
 * is busy and few replies arrive at a time, waits for more, to read them
 * together: a wake-up for each reply costs both the client and the service as much as a
 * request. In the meantime the service works on other requests.
 */
function endTurn(run: Run): void {
  const { free, inFlight, repliesInTurn } = run;
  run.repliesInTurn = 0;
  if (free.length > 0 || repliesInTurn < 2 || repliesInTurn > inFlight.size / 4) return;
  run.clock.hold(BATCH_WAIT_MS);
}

function send(run: Run, connection: Connection, dueMs: number): void {
  const request = takeRequest(run);
  const sentMs = elapsedMs(run);
  run.inFlight.set(connection, { request, dueMs, sentMs });
  run.sent += 1;
  run.recorder.countSent(sentMs);
  connection.send(request.target, run.sampler.wantsNext());
}

/** Records the end of the request in flight. */
function settle(run: Run, connection: Connection, error?: ErrorKind, status?: number): void {
  const flight = run.inFlight.get(connection);
  if (flight === undefined) return;
  run.inFlight.delete(connection);
  const { request, dueMs, sentMs } = flight;
  const { endpoint } = request;
  run.recorder.record({ endpoint, dueMs, sentMs, endMs: elapsedMs(run), error, status });
}

function expireOverdue(run: Run): void {
  const nowMs = elapsedMs(run);
  // In the order of sending, so the first one with time left ends the search.
  for (const [connection, { sentMs }] of run.inFlight) {
    if (nowMs - sentMs < run.options.timeoutMs) return;
    connection.expire();
  }
}

/** Returns the milliseconds until the next possible time-out, or until the end of the schedule, after which any reply may be the last. */
function untilDeadlineMs(run: Run): number {
  const nowMs = elapsedMs(run);
  const { durationMs } = run;
  if (nowMs >= durationMs) return DEADLINE_CHECK_MS;
  const [oldest] = run.inFlight.values();
  const expiresMs = (oldest?.sentMs ?? nowMs) + run.options.timeoutMs;
  return Math.max(DEADLINE_CHECK_MS, Math.ceil(Math.min(durationMs, expiresMs) - nowMs));
}

function isOver(run: Run): boolean {
  const { durationMs, inFlight, nextDueMs, options } = run;
  const isDrained = nextDueMs === undefined && inFlight.size === 0;
  return elapsedMs(run) >= durationMs + (isDrained ? 0 : options.timeoutMs);
}

/** Records the requests that were never answered or never sent, and returns the metrics. */
async function conclude(run: Run): Promise<RunResult> {
  const { inFlight, lag, options, recorder } = run;
  const aborted = options.signal?.aborted ?? false;
  const elapsed = elapsedMs(run);
  const endMs = Math.max(0, elapsed);
  const { user, system } = process.cpuUsage(run.cpuAtStart);
  // An aborted run reports nothing about requests that were in flight or not yet due.
  if (!aborted) for (const connection of [...inFlight.keys()]) settle(run, connection, 'timeout');
  run.isRunning = false;
  inFlight.clear();
  run.cancelWake();
  for (const cancel of run.cancels) cancel();
  await recordUnsent(run, aborted ? elapsed : Number.POSITIVE_INFINITY, endMs);
  options.onIntervals(recorder.takeIntervals(Number.POSITIVE_INFINITY));
  return {
    endpoints: recorder.endpoints(),
    sent: run.sent,
    sentAgain: run.sentAgain,
    durationMs: endMs,
    clientLag: { p99Ms: lag.getValueAtPercentile(99) / 1000, maxMs: lag.maxValue / 1000 },
    cpu: endMs === 0 ? 0 : (user + system) / 1000 / endMs,
    aborted,
  };
}

/** Records the requests that are due until `untilMs` as unsent. Yields at intervals: far beyond saturation this takes minutes, and this process must still end with its parent. */
async function recordUnsent(run: Run, untilMs: number, endMs: number): Promise<void> {
  for (let count = 1; run.nextDueMs !== undefined && run.nextDueMs <= untilMs; count++) {
    const dueMs = run.nextDueMs;
    const { endpoint } = takeRequest(run);
    run.recorder.record({ endpoint, dueMs, sentMs: endMs, endMs, error: 'unsent' });
    if (count % UNSENT_PER_TURN === 0) {
      await new Promise<void>((resolve) => void run.clock.after(0, resolve));
    }
  }
}

/**
 * Timers have a resolution of a millisecond, and polling for the rest takes a
 * core: a request is sent at the timer nearest to its due time, at most half a
 * millisecond early. Its latency then runs from when it was sent.
 */
const MAX_EARLY_MS = 0.5;
/** While nothing is in flight, the thread is held until a request is due, which is exact. Signals wait as well, so the time is short. */
const MAX_HOLD_MS = 2.5;
/** Beyond this, a timer is set a millisecond early, so that the thread can be held for the rest. */
const LONG_WAIT_MS = 3;
/** Time to wait for more replies. Linux adds its timer slack of 0.05 ms. */
const BATCH_WAIT_MS = 0.01;
const MAX_CONNECT_MS = 3000;
const UNSENT_PER_TURN = 50_000;
const DEADLINE_CHECK_MS = 5;
