import type { ClientOrder, RunHooks, RunResult } from './client-order.ts';
import { type Connection, type ConnectionEvents, connect } from './connection.ts';
import { RequestTracker } from './request-tracker.ts';

type ClosedOrder = ClientOrder<'closed'>;

/**
 * Runs a closed workload and returns its metrics. Each connection sends a request as soon as the
 * previous request has ended. Requests in flight at the end are not counted, unless they have timed
 * out.
 */
export async function runClosed(order: ClosedOrder, hooks: RunHooks): Promise<RunResult> {
  await hooks.whenConnected?.();
  return new ClosedRun(order, hooks).run();
}

class ClosedRun {
  readonly #order: ClosedOrder;
  readonly #hooks: RunHooks;
  readonly #tracker: RequestTracker;
  readonly #startedAtMs = performance.now();
  #isRunning = true;

  constructor(order: ClosedOrder, hooks: RunHooks) {
    this.#order = order;
    this.#hooks = hooks;
    const endMs = order.workload.durationS * 1000;
    this.#tracker = new RequestTracker(order, endMs, hooks, () => this.#elapsedMs());
  }

  async run(): Promise<RunResult> {
    const { origin, connections, connectOptions } = this.#order;
    const { signal, onIntervals } = this.#hooks;
    const cpuAtStart = process.cpuUsage();
    if (!signal?.aborted) {
      const disconnect = connect(new URL(origin), connections, this.#events(), connectOptions);
      await this.#untilEnd();
      this.#isRunning = false;
      disconnect();
    }
    const durationMs = this.#elapsedMs();
    onIntervals(this.#tracker.recorder.takeIntervals(Number.POSITIVE_INFINITY));
    const { user, system } = process.cpuUsage(cpuAtStart);
    return {
      endpoints: this.#tracker.recorder.endpoints(),
      sent: this.#tracker.sent,
      sentAgain: this.#tracker.sentAgain,
      durationMs: this.#tracker.sent === 0 ? 0 : durationMs,
      clientLag: { p99Ms: 0, maxMs: 0 },
      cpu: (user + system) / 1000 / Math.max(1, durationMs),
      aborted: signal?.aborted ?? false,
    };
  }

  #elapsedMs(): number {
    return performance.now() - this.#startedAtMs;
  }

  #untilEnd(): Promise<void> {
    const { signal, onIntervals } = this.#hooks;
    const { durationS } = this.#order.workload;
    const everySecond = (): void => {
      this.#tracker.endSecond();
      onIntervals(this.#tracker.recorder.takeIntervals(this.#elapsedMs()));
    };
    return new Promise((resolve) => {
      const timers = [
        setInterval(everySecond, 1000),
        setInterval(() => this.#tracker.expireOverdue(), EXPIRY_CHECK_MS),
        setTimeout(() => end(), durationS * 1000),
      ];
      const end = (): void => {
        for (const timer of timers) clearInterval(timer);
        signal?.removeEventListener('abort', end);
        this.#tracker.expireOverdue();
        resolve();
      };
      signal?.addEventListener('abort', end);
    });
  }

  #events(): ConnectionEvents {
    return {
      ...this.#tracker.events,
      onTried: () => {},
      onFree: (connection) => {
        if (this.#isRunning) this.#send(connection);
      },
    };
  }

  #send(connection: Connection): void {
    const { share } = this.#order;
    const request = this.#hooks.requestAt(share.index + this.#tracker.sent * share.count);
    this.#tracker.send(connection, request);
  }
}

const EXPIRY_CHECK_MS = 20;
