import autocannon from 'autocannon';
import { isExpected, type LoadRequest } from '../mix/request-mix.ts';
import type { ErrorKind, LossCause } from '../model/metrics.ts';
import type { ClientOrder, RunHooks, RunResult } from './client-order.ts';
import { connectionErrorCause } from './connection.ts';
import { createRecorder, type Recorder } from './recorder.ts';
import { createSampler, type Sampler } from './sampler.ts';

type ClosedOrder = ClientOrder<'closed'>;

type ClosedRun = {
  readonly order: ClosedOrder;
  readonly hooks: RunHooks;
  readonly recorder: Recorder;
  readonly sampler: Sampler;
  readonly startedAtMs: number;
  connections: ClosedConnection[];
  stop: () => void;
  sent: number;
  /**
   * Stores the cause, because autocannon reports an error and reconnects in the same turn of the
   * event loop.
   */
  latestCause: LossCause | undefined;
};

/**
 * Runs a closed workload with autocannon and returns its metrics. Each connection sends a request
 * as soon as the previous request has its reply. Requests in flight at the end are not counted,
 * unless they have timed out.
 */
export async function runClosed(order: ClosedOrder, hooks: RunHooks): Promise<RunResult> {
  const { durationS } = order.workload;
  const { signal } = hooks;
  await hooks.whenConnected?.();
  const run: ClosedRun = {
    ...{ order, hooks },
    recorder: createRecorder({ warmUpMs: order.warmUpS * 1000, scheduleEndMs: durationS * 1000 }),
    sampler: createSampler(order.samplesPerSecond),
    startedAtMs: performance.now(),
    connections: [],
    stop: () => {},
    sent: 0,
    latestCause: undefined,
  };
  const cpuAtStart = process.cpuUsage();
  if (!signal?.aborted) {
    const everySecond = setInterval(() => {
      run.sampler.endSecond();
      hooks.onIntervals(run.recorder.takeIntervals(elapsedMs(run)));
    }, 1000);
    while (!signal?.aborted && elapsedMs(run) < durationS * 1000) await runAutocannon(run);
    clearInterval(everySecond);
  }
  const durationMs = elapsedMs(run);
  for (const connection of run.connections) connection.end();
  hooks.onIntervals(run.recorder.takeIntervals(Number.POSITIVE_INFINITY));
  const { user, system } = process.cpuUsage(cpuAtStart);
  return {
    endpoints: run.recorder.endpoints(),
    sent: run.sent,
    sentAgain: 0,
    durationMs: run.sent === 0 ? 0 : durationMs,
    clientLag: { p99Ms: 0, maxMs: 0 },
    cpu: (user + system) / 1000 / Math.max(1, durationMs),
    aborted: signal?.aborted ?? false,
  };
}

/**
 * Resolves when time is up, the run is aborted, or a connection is lost in the middle of a reply.
 * After such a loss, autocannon's parser cannot read another reply, so all connections must be
 * reopened.
 */
function runAutocannon(run: ClosedRun): Promise<void> {
  const { origin, connections, connectOptions, workload, timeoutMs } = run.order;
  const { signal } = run.hooks;
  const { headers = [], tls } = connectOptions ?? {};
  run.connections = [];
  return new Promise((resolve, reject) => {
    const instance = autocannon(
      {
        url: origin,
        connections,
        duration: workload.durationS - elapsedMs(run) / 1000,
        timeout: timeoutMs / 1000,
        sampleInt: END_CHECK_MS,
        headers: Object.fromEntries([['Accept', 'application/json'], ...headers]),
        ...(tls && { tlsOptions: tls }),
        setupClient: (client) => void run.connections.push(new ClosedConnection(run, client)),
      },
      (error: unknown) => (error ? reject(error) : resolve()),
    );
    instance.on('reqError', (error: NodeJS.ErrnoException) => {
      if (error.code !== undefined) run.latestCause = connectionErrorCause(error);
    });
    run.stop = () => instance.stop();
    signal?.addEventListener('abort', run.stop, { once: true });
  });
}

const END_CHECK_MS = 20;

function elapsedMs({ startedAtMs }: Pick<ClosedRun, 'startedAtMs'>): number {
  return performance.now() - startedAtMs;
}

/**
 * autocannon does not report which connection lost a request. So a request counts as lost if its
 * connection sends the next request before a reply.
 */
class ClosedConnection {
  readonly #run: ClosedRun;
  readonly #prefix: string;
  #inFlight: LoadRequest | undefined;
  #sentMs = 0;
  #isSampled = false;
  #isInReply = false;
  #rawHeaders: readonly string[] = [];
  #chunks: Buffer[] = [];

  constructor(run: ClosedRun, client: autocannon.Client) {
    this.#run = run;
    this.#prefix = new URL(run.order.origin).pathname.replace(/\/+$/, '');
    client.on('headers', (head) => {
      this.#isInReply = true;
      if (this.#isSampled) this.#rawHeaders = (head as unknown as ParsedHead).headers;
    });
    client.on('body', (chunk) => {
      if (this.#isSampled) this.#chunks.push(Buffer.from(chunk));
    });
    client.on('response', (status) => this.#onReply(status));
    const destroy = (): void => (client as DestroyableClient).destroy();
    client.setRequests([
      {
        setupRequest: (request) => {
          // Otherwise, autocannon would reconnect forever without returning to the event loop.
          if (run.latestCause === 'client') destroy();
          request.path = this.#nextPath();
          return request;
        },
      },
    ]);
  }

  /**
   * Records the request in flight if it has timed out. Otherwise, the end of the run cut the
   * request short.
   */
  end(): void {
    if (elapsedMs(this.#run) - this.#sentMs < this.#run.order.timeoutMs) this.#inFlight = undefined;
    this.#settle('timeout');
  }

  #nextPath(): string {
    const run = this.#run;
    const { share, timeoutMs } = run.order;
    const nowMs = elapsedMs(run);
    const hasTimedOut = nowMs - this.#sentMs >= timeoutMs - TIMER_TOLERANCE_MS;
    this.#settle(run.latestCause ?? (hasTimedOut ? 'timeout' : 'reset'));
    run.latestCause = undefined;
    if (this.#isInReply) run.stop();
    const request = run.hooks.requestAt(share.index + run.sent * share.count);
    run.sent += 1;
    run.recorder.countSent(nowMs);
    this.#inFlight = request;
    this.#sentMs = nowMs;
    this.#isSampled = run.sampler.wantsNext();
    this.#chunks = [];
    return this.#prefix + request.target;
  }

  #onReply(status: number): void {
    this.#isInReply = false;
    const request = this.#inFlight;
    if (request === undefined) return;
    this.#settle(isExpected(request, status) ? undefined : 'status', status);
    if (!this.#isSampled) return;
    const latencyMs = elapsedMs(this.#run) - this.#sentMs;
    this.#run.hooks.onSample({
      ...{ request, status, latencyMs, dueMs: this.#sentMs },
      rawHeaders: this.#rawHeaders,
      body: Buffer.concat(this.#chunks),
    });
  }

  #settle(error: ErrorKind | undefined, status?: number): void {
    if (this.#inFlight === undefined) return;
    const { endpoint } = this.#inFlight;
    const sentMs = this.#sentMs;
    this.#inFlight = undefined;
    const endMs = elapsedMs(this.#run);
    this.#run.recorder.record({ endpoint, dueMs: sentMs, sentMs, endMs, error, status });
  }
}

/** The types of autocannon lack this method. */
type DestroyableClient = autocannon.Client & { readonly destroy: () => void };

/** Names and values alternate. */
type ParsedHead = { readonly headers: readonly string[] };

/** A timer may fire this much too early, measured on the clock of `performance`. */
const TIMER_TOLERANCE_MS = 2;
