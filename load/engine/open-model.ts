import type { Histogram } from 'hdr-histogram-js';
import { type Clock, SYSTEM_CLOCK } from '../../conformance/client/clock.ts';
import type { LoadRequest } from '../mix/request-mix.ts';
import { createHistogram } from '../model/histogram.ts';
import type { ClientOrder, RunHooks, RunResult } from './client-order.ts';
import { type Connect, type Connection, type ConnectionEvents, connect } from './connection.ts';
import { RequestTracker } from './request-tracker.ts';
import { dueTimes, totalDurationS } from './schedule.ts';

/** A clock that can also call back at intervals and stop the thread. */
export type EngineClock = Clock & {
  /** Starts a repeated callback. Returns a function that stops it. */
  readonly every: (ms: number, callBack: () => void) => () => void;
  /**
   * Stops this thread for the given number of milliseconds, which may be fractional. No callback
   * runs during that time.
   */
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

/** Clock and connections of an engine, real or simulated. */
export type Platform = { readonly clock: EngineClock; readonly connect: Connect };

const REAL: Platform = { clock: SYSTEM_ENGINE_CLOCK, connect };

type OpenOrder = ClientOrder<'open'>;

/**
 * Sends one client's share of a schedule. Returns metrics that include every request that was due,
 * sent or not.
 */
export function runOpen(
  order: OpenOrder,
  hooks: RunHooks,
  platform: Platform = REAL,
): Promise<RunResult> {
  return new OpenRun(order, hooks, platform).run();
}

class OpenRun {
  readonly #order: OpenOrder;
  readonly #hooks: RunHooks;
  readonly #clock: EngineClock;
  readonly #connect: Connect;
  readonly #schedule: Iterator<number, void>;
  readonly #durationMs: number;
  readonly #tracker: RequestTracker;
  readonly #lag: Histogram = createHistogram();
  readonly #free: Connection[] = [];
  readonly #cancels: (() => void)[] = [];
  #isRunning = false;
  /**
   * The clock starts when every connection has been tried, since connecting is not part of the
   * service's latency.
   */
  #startedAtMs = Number.POSITIVE_INFINITY;
  #cpuAtStart = process.cpuUsage();
  #nextNumber: number;
  #nextDueMs: number | undefined;
  /**
   * True if the next request is late because no connection was free, which is not the client's
   * fault.
   */
  #waitedForConnection = false;
  #repliesInTurn = 0;
  #wakeMs = Number.POSITIVE_INFINITY;
  #cancelPendingWake = (): void => {};

  constructor(order: OpenOrder, hooks: RunHooks, { clock, connect }: Platform) {
    const { stages } = order.workload;
    this.#order = order;
    this.#hooks = hooks;
    this.#clock = clock;
    this.#connect = connect;
    this.#durationMs = 1000 * totalDurationS(stages);
    this.#schedule = dueTimes(stages, order.share);
    this.#tracker = new RequestTracker(order, this.#durationMs, hooks, () => this.#elapsedMs());
    this.#nextNumber = order.share.index;
    this.#nextDueMs = this.#schedule.next().value ?? undefined;
  }

  async run(): Promise<RunResult> {
    const { origin, connections, connectOptions } = this.#order;
    const { signal, whenConnected } = this.#hooks;
    const aborted = this.#whenAborted();
    const { tried, onTried } = this.#watchConnecting();
    const connected = tried.then(() => whenConnected?.());
    const events = this.#events(onTried);
    const disconnect = this.#connect(new URL(origin), connections, events, connectOptions);
    await Promise.race([aborted, connected]);
    if (!signal?.aborted) await Promise.race([aborted, this.#sendAll()]);
    const result = await this.#conclude();
    disconnect();
    return result;
  }

  #elapsedMs(): number {
    return this.#clock.now() - this.#startedAtMs;
  }

  #takeRequest(): LoadRequest {
    const request = this.#hooks.requestAt(this.#nextNumber);
    this.#nextNumber += this.#order.share.count;
    this.#nextDueMs = this.#schedule.next().value ?? undefined;
    return request;
  }

  #whenAborted(): Promise<void> {
    const { signal } = this.#hooks;
    return new Promise((resolve) => {
      const onAbort = (): void => resolve();
      signal?.addEventListener('abort', onAbort);
      this.#cancels.push(() => signal?.removeEventListener('abort', onAbort));
      if (signal?.aborted) resolve();
    });
  }

  #watchConnecting() {
    const { connections, timeoutMs } = this.#order;
    let untried = connections;
    let onTried = (): void => {};
    const tried = new Promise<void>((resolve) => {
      onTried = () => {
        untried -= 1;
        if (untried === 0) resolve();
      };
      this.#cancels.push(this.#clock.after(Math.min(timeoutMs, MAX_CONNECT_MS), resolve));
    });
    return { tried, onTried };
  }

  #events(onTried: () => void): ConnectionEvents {
    return {
      ...this.#tracker.events,
      onTried,
      onFree: (connection) => {
        this.#free.push(connection);
        if (!this.#isRunning) return;
        // If nothing is due, a wake-up is already set: setting it again would cost more than the
        // reply.
        const nowMs = this.#elapsedMs();
        const dueMs = this.#nextDueMs;
        if (dueMs !== undefined && dueMs <= nowMs + this.#earlyMs()) this.#sendDue();
        if (this.#free.length > 0) return;
        if (this.#repliesInTurn === 0) this.#clock.after(0, () => this.#endTurn());
        this.#repliesInTurn += 1;
      },
    };
  }

  #sendAll(): Promise<void> {
    this.#isRunning = true;
    this.#startedAtMs = this.#clock.now();
    this.#cpuAtStart = process.cpuUsage();
    const everySecond = (): void => {
      this.#tracker.endSecond();
      this.#hooks.onIntervals(this.#tracker.recorder.takeIntervals(this.#elapsedMs()));
    };
    return new Promise((resolve) => {
      let cancelCheck = (): void => {};
      const checkDeadlines = (): void => {
        this.#tracker.expireOverdue();
        if (this.#isOver()) resolve();
        cancelCheck = this.#clock.after(this.#untilDeadlineMs(), checkDeadlines);
      };
      this.#cancels.push(this.#clock.every(1000, everySecond), () => cancelCheck());
      this.#sendDue();
      checkDeadlines();
    });
  }

  #sendDue(): void {
    for (;;) {
      const nowMs = this.#elapsedMs();
      const dueMs = this.#nextDueMs;
      if (dueMs === undefined) return;
      if (dueMs > nowMs + this.#earlyMs()) {
        this.#waitedForConnection = false;
        this.#wakeAt(dueMs, nowMs);
        return;
      }
      if (dueMs > nowMs + MAX_EARLY_MS) {
        this.#waitedForConnection = false;
        this.#cancelWake();
        this.#clock.hold(dueMs - nowMs);
        continue;
      }
      const connection = this.#free.pop();
      if (connection === undefined) {
        this.#waitedForConnection = true;
        return;
      }
      if (!this.#waitedForConnection) {
        this.#lag.recordValue(Math.max(0, Math.round((nowMs - dueMs) * 1000)));
      }
      this.#tracker.send(connection, this.#takeRequest(), dueMs);
    }
  }

  /**
   * Leaves an earlier pending wake-up in place: at high rates, setting a new one would cost more
   * than a request.
   */
  #wakeAt(dueMs: number, nowMs: number): void {
    if (this.#wakeMs <= dueMs + MAX_EARLY_MS) return;
    this.#cancelWake();
    const waitMs = dueMs - nowMs;
    const sleepMs = waitMs < LONG_WAIT_MS ? Math.round(waitMs) : Math.floor(waitMs) - 1;
    this.#wakeMs = nowMs + sleepMs;
    this.#cancelPendingWake = this.#clock.after(sleepMs, () => {
      this.#wakeMs = Number.POSITIVE_INFINITY;
      this.#sendDue();
    });
  }

  #cancelWake(): void {
    this.#cancelPendingWake();
    this.#wakeMs = Number.POSITIVE_INFINITY;
  }

  /**
   * Returns how early a request can be handled. While nothing is in flight, the thread can be held
   * until the request is due.
   */
  #earlyMs(): number {
    return this.#tracker.inFlight === 0 ? MAX_HOLD_MS : MAX_EARLY_MS;
  }

  /**
   * Ends a turn of the event loop in which replies were read. If every connection is busy and few
   * replies arrive at a time, waits for more replies, since a wake-up for each reply costs the
   * client and the service as much as a request. In the meantime, the service works on other
   * requests.
   */
  #endTurn(): void {
    const replies = this.#repliesInTurn;
    this.#repliesInTurn = 0;
    if (this.#free.length > 0 || replies < 2 || replies > this.#tracker.inFlight / 4) return;
    this.#clock.hold(BATCH_WAIT_MS);
  }

  /** After the end of the schedule, checks are frequent, because any reply may be the last. */
  #untilDeadlineMs(): number {
    const nowMs = this.#elapsedMs();
    if (nowMs >= this.#durationMs) return DEADLINE_CHECK_MS;
    const expiresMs = (this.#tracker.oldestMs ?? nowMs) + this.#order.timeoutMs;
    return Math.max(DEADLINE_CHECK_MS, Math.ceil(Math.min(this.#durationMs, expiresMs) - nowMs));
  }

  #isOver(): boolean {
    const isDrained = this.#nextDueMs === undefined && this.#tracker.inFlight === 0;
    return this.#elapsedMs() >= this.#durationMs + (isDrained ? 0 : this.#order.timeoutMs);
  }

  async #conclude(): Promise<RunResult> {
    const aborted = this.#hooks.signal?.aborted ?? false;
    const elapsed = this.#elapsedMs();
    const endMs = Math.max(0, elapsed);
    const { user, system } = process.cpuUsage(this.#cpuAtStart);
    // An aborted run reports nothing about requests that were in flight or not yet due.
    this.#tracker.abandon(aborted ? 'ignored' : 'timeout');
    this.#isRunning = false;
    this.#cancelPendingWake();
    for (const cancel of this.#cancels) cancel();
    await this.#recordUnsent(aborted ? elapsed : Number.POSITIVE_INFINITY, endMs);
    this.#hooks.onIntervals(this.#tracker.recorder.takeIntervals(Number.POSITIVE_INFINITY));
    const lag = this.#lag;
    return {
      endpoints: this.#tracker.recorder.endpoints(),
      sent: this.#tracker.sent,
      sentAgain: this.#tracker.sentAgain,
      durationMs: endMs,
      clientLag: { p99Ms: lag.getValueAtPercentile(99) / 1000, maxMs: lag.maxValue / 1000 },
      cpu: endMs === 0 ? 0 : (user + system) / 1000 / endMs,
      aborted,
    };
  }

  /**
   * Yields to the event loop at intervals. Far beyond saturation, recording takes minutes, and this
   * process must notice the end of its parent.
   */
  async #recordUnsent(untilMs: number, endMs: number): Promise<void> {
    for (let count = 1; this.#nextDueMs !== undefined && this.#nextDueMs <= untilMs; count++) {
      const dueMs = this.#nextDueMs;
      const { endpoint } = this.#takeRequest();
      this.#tracker.recorder.record({ endpoint, dueMs, sentMs: endMs, endMs, error: 'unsent' });
      if (count % UNSENT_PER_TURN === 0) {
        await new Promise<void>((resolve) => void this.#clock.after(0, resolve));
      }
    }
  }
}

/**
 * Timers have a resolution of one millisecond, and polling for the remaining fraction would occupy
 * a core. So a request is sent at the timer tick nearest to its due time, at most half a
 * millisecond early. The latency of an early request is measured from when it was sent.
 */
const MAX_EARLY_MS = 0.5;
/**
 * Maximum time for which the thread is held until a request is due. Holding is exact, but possible
 * only while nothing is in flight. Signals have to wait too, so the time is short.
 */
const MAX_HOLD_MS = 2.5;
/**
 * For longer waits, a timer is set a millisecond early, so that the thread can be held for the
 * remaining time.
 */
const LONG_WAIT_MS = 3;
/** Time to wait for more replies. Linux adds its timer slack of 0.05 ms. */
const BATCH_WAIT_MS = 0.01;
const MAX_CONNECT_MS = 3000;
const UNSENT_PER_TURN = 50_000;
const DEADLINE_CHECK_MS = 5;
