import { isExpected, type LoadRequest } from '../mix/request-mix.ts';
import type { ErrorKind } from '../model/metrics.ts';
import type { ClientOrder, RunHooks, RunResult } from './client-order.ts';
import { type Connection, type ConnectionEvents, connect } from './connection.ts';
import { createRecorder } from './recorder.ts';
import { createSampler } from './sampler.ts';

type ClosedOrder = ClientOrder<'closed'>;

type InFlight = { readonly request: LoadRequest; readonly sentMs: number };

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
  readonly #recorder;
  readonly #sampler;
  readonly #startedAtMs = performance.now();
  /** In the order in which the requests were sent. */
  readonly #inFlight = new Map<Connection, InFlight>();
  /** Unexpected statuses of which a reply was sampled. */
  readonly #sampledErrors = new Set<number>();
  #isRunning = true;
  #sent = 0;
  #sentAgain = 0;

  constructor(order: ClosedOrder, hooks: RunHooks) {
    const { warmUpS, workload, samplesPerSecond } = order;
    this.#order = order;
    this.#hooks = hooks;
    this.#recorder = createRecorder({
      warmUpMs: warmUpS * 1000,
      scheduleEndMs: workload.durationS * 1000,
    });
    this.#sampler = createSampler(samplesPerSecond);
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
    onIntervals(this.#recorder.takeIntervals(Number.POSITIVE_INFINITY));
    const { user, system } = process.cpuUsage(cpuAtStart);
    return {
      endpoints: this.#recorder.endpoints(),
      sent: this.#sent,
      sentAgain: this.#sentAgain,
      durationMs: this.#sent === 0 ? 0 : durationMs,
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
      this.#sampler.endSecond();
      onIntervals(this.#recorder.takeIntervals(this.#elapsedMs()));
    };
    return new Promise((resolve) => {
      const timers = [
        setInterval(everySecond, 1000),
        setInterval(() => this.#expireOverdue(), EXPIRY_CHECK_MS),
        setTimeout(() => end(), durationS * 1000),
      ];
      const end = (): void => {
        for (const timer of timers) clearInterval(timer);
        signal?.removeEventListener('abort', end);
        this.#expireOverdue();
        resolve();
      };
      signal?.addEventListener('abort', end);
    });
  }

  #events(): ConnectionEvents {
    return {
      onTried: () => {},
      onFree: (connection) => {
        if (this.#isRunning) this.#send(connection);
      },
      onReply: (connection, status, content) => {
        const flight = this.#inFlight.get(connection);
        if (flight === undefined) return;
        const { request, sentMs } = flight;
        this.#settle(connection, isExpected(request, status) ? undefined : 'status', status);
        if (content === undefined) return;
        const latencyMs = this.#elapsedMs() - sentMs;
        this.#hooks.onSample({ request, status, ...content, dueMs: sentMs, latencyMs });
      },
      wantsReply: (connection, status) => {
        const flight = this.#inFlight.get(connection);
        if (flight === undefined || isExpected(flight.request, status)) return false;
        const isNew = !this.#sampledErrors.has(status);
        this.#sampledErrors.add(status);
        return isNew;
      },
      onSentAgain: () => {
        this.#sentAgain += 1;
      },
      onLoss: (connection, cause) => this.#settle(connection, cause),
    };
  }

  #send(connection: Connection): void {
    const { share } = this.#order;
    const request = this.#hooks.requestAt(share.index + this.#sent * share.count);
    const sentMs = this.#elapsedMs();
    this.#inFlight.set(connection, { request, sentMs });
    this.#sent += 1;
    this.#recorder.countSent(sentMs);
    connection.send(request.target, this.#sampler.wantsNext());
  }

  #settle(connection: Connection, error?: ErrorKind, status?: number): void {
    const flight = this.#inFlight.get(connection);
    if (flight === undefined) return;
    this.#inFlight.delete(connection);
    const { request, sentMs } = flight;
    const { endpoint } = request;
    const endMs = this.#elapsedMs();
    this.#recorder.record({ endpoint, dueMs: sentMs, sentMs, endMs, error, status });
  }

  #expireOverdue(): void {
    const nowMs = this.#elapsedMs();
    // A copy, because an expired connection sends its next request at once.
    for (const [connection, { sentMs }] of [...this.#inFlight]) {
      if (nowMs - sentMs < this.#order.timeoutMs) return;
      connection.expire();
    }
  }
}

const EXPIRY_CHECK_MS = 20;
