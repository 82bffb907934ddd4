import { isExpected, type LoadRequest } from '../mix/request-mix.ts';
import type { ErrorKind } from '../model/metrics.ts';
import type { ClientOrder, RunHooks } from './client-order.ts';
import type { Connection, ConnectionEvents } from './connection.ts';
import { createRecorder, type Recorder } from './recorder.ts';
import { createSampler, type Sampler } from './sampler.ts';

type InFlight = { readonly request: LoadRequest; readonly dueMs: number; readonly sentMs: number };

/** Sends the requests of one client, tracks those in flight, and records each one when it ends. */
export class RequestTracker {
  readonly recorder: Recorder;
  readonly #sampler: Sampler;
  readonly #onSample: RunHooks['onSample'];
  readonly #timeoutMs: number;
  readonly #elapsedMs: () => number;
  /** In the order in which the requests were sent. */
  readonly #inFlight = new Map<Connection, InFlight>();
  /** Unexpected statuses that have a sampled reply. */
  readonly #sampledErrors = new Set<number>();
  #sent = 0;
  #sentAgain = 0;

  /** @param elapsedMs - Returns the time since the run started. */
  constructor(
    { warmUpS, samplesPerSecond, timeoutMs }: ClientOrder,
    scheduleEndMs: number,
    { onSample }: RunHooks,
    elapsedMs: () => number,
  ) {
    this.recorder = createRecorder({ warmUpMs: warmUpS * 1000, scheduleEndMs });
    this.#sampler = createSampler(samplesPerSecond);
    this.#onSample = onSample;
    this.#timeoutMs = timeoutMs;
    this.#elapsedMs = elapsedMs;
  }

  /** Number of requests in flight. */
  get inFlight(): number {
    return this.#inFlight.size;
  }

  get sent(): number {
    return this.#sent;
  }

  get sentAgain(): number {
    return this.#sentAgain;
  }

  /** Time at which the oldest request in flight was sent. */
  get oldestMs(): number | undefined {
    const [oldest] = this.#inFlight.values();
    return oldest?.sentMs;
  }

  /** Sends a request. If `dueMs` is unset, the request is due when it is sent. */
  send(connection: Connection, request: LoadRequest, dueMs?: number): void {
    const sentMs = this.#elapsedMs();
    this.#inFlight.set(connection, { request, dueMs: dueMs ?? sentMs, sentMs });
    this.#sent += 1;
    this.recorder.countSent(sentMs);
    connection.send(request.target, this.#sampler.wantsNext());
  }

  /** Handlers of the events that end a request or resend it. */
  readonly events: Omit<ConnectionEvents, 'onTried' | 'onFree'> = {
    onReply: (connection, status, content) => {
      const flight = this.#inFlight.get(connection);
      if (flight === undefined) return;
      const { request, dueMs, sentMs } = flight;
      this.#settle(connection, isExpected(request, status) ? undefined : 'status', status);
      if (content === undefined) return;
      const latencyMs = this.#elapsedMs() - Math.min(dueMs, sentMs);
      this.#onSample({ request, status, ...content, dueMs, latencyMs });
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

  endSecond(): void {
    this.#sampler.endSecond();
  }

  /**
   * Expires requests that have reached the timeout. Requests are in sending order, so the search
   * ends at the first one that has time left, such as one that an expired connection has just sent.
   */
  expireOverdue(): void {
    const nowMs = this.#elapsedMs();
    for (const [connection, { sentMs }] of this.#inFlight) {
      if (nowMs - sentMs < this.#timeoutMs) return;
      connection.expire();
    }
  }

  /** Ignores the requests in flight, or records them as timed out. */
  abandon(as: 'ignored' | 'timeout'): void {
    if (as === 'timeout') {
      for (const connection of this.#inFlight.keys()) this.#settle(connection, 'timeout');
    }
    this.#inFlight.clear();
  }

  #settle(connection: Connection, error?: ErrorKind, status?: number): void {
    const flight = this.#inFlight.get(connection);
    if (flight === undefined) return;
    this.#inFlight.delete(connection);
    const { request, dueMs, sentMs } = flight;
    const { endpoint } = request;
    this.recorder.record({ endpoint, dueMs, sentMs, endMs: this.#elapsedMs(), error, status });
  }
}
