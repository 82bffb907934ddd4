import type { ClientOrder, RunHooks, RunResult } from './client-order.ts';
import { type Connection, type ConnectionEvents, connect } from './connection.ts';
import { Flights } from './flights.ts';

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
  readonly #flights: Flights;
  readonly #startedAtMs = performance.now();
  #isRunning = true;

  constructor(order: ClosedOrder, hooks: RunHooks) {
    this.#order = order;
    this.#hooks = hooks;
    const endMs = order.workload.durationS * 1000;
    this.#flights = new Flights(order, endMs, hooks, () => this.#elapsedMs());
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
    onIntervals(this.#flights.recorder.takeIntervals(Number.POSITIVE_INFINITY));
    const { user, system } = process.cpuUsage(cpuAtStart);
    return {
      endpoints: this.#flights.recorder.endpoints(),
      sent: this.#flights.sent,
      sentAgain: this.#flights.sentAgain,
      durationMs: this.#flights.sent === 0 ? 0 : durationMs,
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
      this.#flights.endSecond();
      onIntervals(this.#flights.recorder.takeIntervals(this.#elapsedMs()));
    };
    return new Promise((resolve) => {
      const timers = [
        setInterval(everySecond, 1000),
        setInterval(() => this.#flights.expireOverdue(), EXPIRY_CHECK_MS),
        setTimeout(() => end(), durationS * 1000),
      ];
      const end = (): void => {
        for (const timer of timers) clearInterval(timer);
        signal?.removeEventListener('abort', end);
        this.#flights.expireOverdue();
        resolve();
      };
      signal?.addEventListener('abort', end);
    });
  }

  #events(): ConnectionEvents {
    return {
      ...this.#flights.events,
      onTried: () => {},
      onFree: (connection) => {
        if (this.#isRunning) this.#send(connection);
      },
    };
  }

  #send(connection: Connection): void {
    const { share } = this.#order;
    const request = this.#hooks.requestAt(share.index + this.#flights.sent * share.count);
    this.#flights.send(connection, request);
  }
}

const EXPIRY_CHECK_MS = 20;
