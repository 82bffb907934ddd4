import type { EndpointFigures, ErrorKind } from '../model/figures.ts';
import type { Connection, ConnectionEvents } from './connection.ts';
import { type Connect, connectByAutocannon } from './connections.ts';
import { type EngineClock, SYSTEM_ENGINE_CLOCK } from './engine-clock.ts';
import type { EngineOptions } from './engine-options.ts';
import { createRun, elapsedMs, type Run } from './engine-run.ts';

/** What one process measured. */
export type EngineResult = {
  readonly endpoints: Record<string, EndpointFigures>;
  /** Requests sent, on time or late, warm-up included. */
  readonly sent: number;
  /** Of them, those that met a connection closed while it lay idle, and went out again on another. */
  readonly sentAgain: number;
  readonly durationMs: number;
  /** How late requests went out although a connection was free: the client's own fault. */
  readonly clientLag: { readonly p99Ms: number; readonly maxMs: number };
  /** Processor time of this process over the run's time: 1 is one core. */
  readonly cpu: number;
  readonly aborted: boolean;
};

/** What an engine runs on. */
export type Platform = { readonly clock: EngineClock; readonly connect: Connect };

const REAL: Platform = { clock: SYSTEM_ENGINE_CLOCK, connect: connectByAutocannon };

/** Plays a workload against a service and returns what was measured. Every request that was due is in the figures. */
export async function runEngine(
  options: EngineOptions,
  platform: Platform = REAL,
): Promise<EngineResult> {
  const run = createRun(options, platform.clock);
  const abort = whenAborted(run);
  const connected = whenTried(run).then(() => options.whenConnected?.());
  const disconnect = platform.connect(options.origin, options.connections, eventsOf(run));
  await Promise.race([abort, connected]);
  if (!options.signal?.aborted) await Promise.race([abort, play(run)]);
  const result = conclude(run);
  disconnect();
  return result;
}

function whenAborted({ options: { signal }, callOffs }: Run): Promise<void> {
  return new Promise((resolve) => {
    const onAbort = (): void => resolve();
    signal?.addEventListener('abort', onAbort);
    callOffs.push(() => signal?.removeEventListener('abort', onAbort));
    if (signal?.aborted) resolve();
  });
}

/** Resolves once every connection has been tried, or has had its time. */
function whenTried(run: Run): Promise<void> {
  const { connections, timeoutMs } = run.options;
  return new Promise((resolve) => {
    let untried = connections;
    run.onTried = () => {
      untried -= 1;
      if (untried === 0) resolve();
    };
    run.callOffs.push(run.clock.after(Math.min(timeoutMs, MOST_CONNECT_MS), resolve));
  });
}

function eventsOf(run: Run): ConnectionEvents {
  return {
    onTried: () => run.onTried(),
    onFree(connection) {
      run.free.push(connection);
      if (!run.isPlaying) return;
      // A wake-up is set already where nothing is due: setting it anew would cost more than the reply.
      const nowMs = elapsedMs(run);
      const dueMs = run.arrivals.nextDueMs(nowMs);
      if (dueMs !== undefined && dueMs <= nowMs + withinMs(run)) sendDue(run);
      if (run.free.length > 0) return;
      if (run.heard === 0) run.clock.after(0, () => endTurn(run));
      run.heard += 1;
    },
    onReply(connection, status, content) {
      const flight = run.inFlight.get(connection);
      if (flight === undefined) return;
      const { request, dueMs, sentMs } = flight;
      const expected = request.expect === 'refusal' ? 400 : 200;
      settle(run, connection, status === expected ? undefined : 'status', status);
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

/** Starts the clock; resolves when every request has been sent and settled, or has had its time. */
function play(run: Run): Promise<void> {
  const { clock, options, recorder, sampler } = run;
  run.isPlaying = true;
  run.startedAtMs = clock.now();
  run.cpuAtStart = process.cpuUsage();
  const everySecond = (): void => {
    sampler.endSecond();
    options.onIntervals(recorder.takeIntervals(elapsedMs(run)));
  };
  return new Promise((resolve) => {
    let callOffCheck = (): void => {};
    const checkDeadlines = (): void => {
      expireOverdue(run);
      if (isPlayed(run)) resolve();
      callOffCheck = clock.after(untilDeadlineMs(run), checkDeadlines);
    };
    run.callOffs.push(clock.every(1000, everySecond), () => callOffCheck());
    sendDue(run);
    checkDeadlines();
  });
}

/** Sends every request that is due while a connection is free, and sets the next wake-up. */
function sendDue(run: Run): void {
  const { arrivals, free, lag } = run;
  for (;;) {
    const nowMs = elapsedMs(run);
    const dueMs = arrivals.nextDueMs(nowMs);
    if (dueMs === undefined) return;
    if (dueMs > nowMs + withinMs(run)) {
      run.waitedForConnection = false;
      wakeAt(run, dueMs, nowMs);
      return;
    }
    if (dueMs > nowMs + EARLY_MS) {
      run.waitedForConnection = false;
      callOffWake(run);
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

/** Sets the next wake-up, unless one is set that is soon enough: at high rates that would cost more than a request. */
function wakeAt(run: Run, dueMs: number, nowMs: number): void {
  if (run.wakeMs <= dueMs + EARLY_MS) return;
  callOffWake(run);
  const waitMs = dueMs - nowMs;
  const sleepMs = waitMs < LONG_WAIT_MS ? Math.round(waitMs) : Math.floor(waitMs) - 1;
  run.wakeMs = nowMs + sleepMs;
  run.callOffWake = run.clock.after(sleepMs, () => {
    run.wakeMs = Number.POSITIVE_INFINITY;
    sendDue(run);
  });
}

function callOffWake(run: Run): void {
  run.callOffWake();
  run.wakeMs = Number.POSITIVE_INFINITY;
}

/** How long before a request is due it is seen to: while nothing is in flight, there is nothing to hear of. */
function withinMs({ inFlight }: Run): number {
  return inFlight.size === 0 ? MOST_HOLD_MS : EARLY_MS;
}

/**
 * Ends a turn of the event loop in which replies were read. While every
 * connection is busy and few replies come at a time, more are waited for, to be
 * read together: being woken for each costs the client, and the service that
 * wakes it, as much as a request. The service has all the others to work on.
 */
function endTurn(run: Run): void {
  const { free, heard, inFlight } = run;
  run.heard = 0;
  if (free.length > 0 || heard < 2 || heard > inFlight.size / 4) return;
  run.clock.hold(TOGETHER_MS);
}

function send(run: Run, connection: Connection, dueMs: number): void {
  const request = run.arrivals.take();
  const sentMs = elapsedMs(run);
  run.inFlight.set(connection, { request, dueMs, sentMs });
  run.sent += 1;
  run.recorder.countSent(sentMs);
  connection.send(request.target, run.sampler.wantsNext());
}

/** Records how the request in flight ended. */
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
  // In the order of sending, so the first that has time left ends the search.
  for (const [connection, { sentMs }] of run.inFlight) {
    if (nowMs - sentMs < run.options.timeoutMs) return;
    connection.expire();
  }
}

/** Milliseconds until the first time-out that may come, or the end of the schedule, from which on every reply may be the last. */
function untilDeadlineMs(run: Run): number {
  const nowMs = elapsedMs(run);
  const { durationMs } = run.arrivals;
  if (nowMs >= durationMs) return DEADLINE_CHECK_MS;
  const [oldest] = run.inFlight.values();
  const expiresMs = (oldest?.sentMs ?? nowMs) + run.options.timeoutMs;
  return Math.max(DEADLINE_CHECK_MS, Math.ceil(Math.min(durationMs, expiresMs) - nowMs));
}

function isPlayed(run: Run): boolean {
  const { arrivals, inFlight, options } = run;
  const nowMs = elapsedMs(run);
  const isDrained = arrivals.nextDueMs(nowMs) === undefined && inFlight.size === 0;
  return nowMs >= arrivals.durationMs + (isDrained ? 0 : options.timeoutMs);
}

/** Accounts for what was never answered or never sent, and returns the figures. */
function conclude(run: Run): EngineResult {
  const { arrivals, inFlight, lag, options, recorder } = run;
  const aborted = options.signal?.aborted ?? false;
  const elapsed = elapsedMs(run);
  const endMs = Math.max(0, elapsed);
  const { user, system } = process.cpuUsage(run.cpuAtStart);
  // A run cut short says nothing of what it cut off: what was in the air, and what was not yet due.
  if (!aborted) for (const connection of [...inFlight.keys()]) settle(run, connection, 'timeout');
  run.isPlaying = false;
  inFlight.clear();
  run.callOffWake();
  for (const callOff of run.callOffs) callOff();
  const unsentUntilMs = aborted ? elapsed : Number.POSITIVE_INFINITY;
  for (const { request, dueMs } of arrivals.takeOverdue(unsentUntilMs)) {
    const { endpoint } = request;
    recorder.record({ endpoint, dueMs, sentMs: endMs, endMs, error: 'unsent' });
  }
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

/**
 * Timers know whole milliseconds, and to poll for the rest of one takes a core:
 * a request goes out at the timer nearest to when it is due, half a millisecond
 * early at most. Its latency then runs from when it was sent.
 */
const EARLY_MS = 0.5;
/** While nothing is in flight the thread is held until a request is due, which is exact; not for long, as signals wait too. */
const MOST_HOLD_MS = 2.5;
/** A timer for longer is set a millisecond early, so that the thread can be held for the rest. */
const LONG_WAIT_MS = 3;
/** How long replies are waited for, to be read together. Linux adds the 0.05 ms by which it lets timers be late. */
const TOGETHER_MS = 0.01;
const MOST_CONNECT_MS = 3000;
const DEADLINE_CHECK_MS = 5;
