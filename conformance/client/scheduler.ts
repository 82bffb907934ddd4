import { setMaxListeners } from 'node:events';
import PQueue from 'p-queue';
import { counted } from '../contract/counted.ts';
import type { Client } from './client.ts';
import { type Clock, sleep } from './clock.ts';
import { type Exchange, isFault } from './exchange.ts';
import { createLoadLimit, type LoadLimit } from './load-limit.ts';
import {
  createRateLimiter,
  type RateLimiter,
  type Rejection,
  rejectionOf,
} from './rate-limiter.ts';
import { KEY_PLACEHOLDER, pairsIn, type RequestTarget } from './request.ts';
import { createRetryPolicy } from './retry-policy.ts';

/** Limits on the requests to a service. */
export type Limits = {
  /** Maximum number of concurrent requests. Default: 8. */
  readonly concurrency?: number | undefined;
  /** Maximum number of requests per second. Default: as fast as replies arrive. */
  readonly rate?: number | undefined;
  /** Maximum number of requests. Default: as many as are needed. */
  readonly maxRequests?: number | undefined;
};

/**
 * Maximum retries after a rate limit while the service serves no other request to the operation.
 * Beyond the maximum, the scheduler stops requesting the operation. Without a `retry-after`, the
 * pauses add up to more than a minute.
 */
const MAX_RETRIES = { withRetryAfter: 5, without: 7 };
const MAX_RETRIES_OF_ONE_REQUEST = 40;
/** Maximum wait for a rate limit to lift, and maximum total wait for a service's first reply. */
const MAX_WAIT_MS = 60_000;

const MAX_UNANSWERED_IN_ROW = 5;

type Sent = {
  readonly exchange: Exchange;
  readonly startedAt: number;
  /** Set if the service rejected the request because of the rate. */
  readonly rejection: Rejection | undefined;
  readonly isFailed: boolean;
};

/** Sends the requests of a run, within its budget and the limits of the service. */
export class Scheduler {
  readonly concurrency: number;
  readonly rate: number;
  readonly maxRequests: number;
  readonly clock: Clock;
  /** Called before each wait that a reply with 429 or `retry-after` causes. */
  onRateLimited: (waitMs: number) => void = () => undefined;
  sent = 0;
  /** Number of replies that limit the rate. */
  rateLimited = 0;
  /** Total time during which requests waited because the service rejected earlier ones. */
  waitedMs = 0;
  /** The reason why the run was stopped; undefined while it is not. */
  stopped: string | undefined;
  /**
   * The reason why a request was not sent although the run was not stopped: the budget is spent.
   */
  spent: string | undefined;
  readonly #ending = new AbortController();
  readonly #client: Client;
  readonly #queue: PQueue;
  readonly #pace: RateLimiter;
  readonly #load: LoadLimit;
  readonly #retries = createRetryPolicy();
  readonly #breaker = createCircuitBreaker();
  /** Number of served requests, by path. */
  readonly #served = new Map<string, number>();
  /** Number of requests in the budget that have been sent or are about to be sent. */
  #reserved = 0;
  #pausedUntil = 0;
  /** Number of requests that wait for their reply. */
  #onWire = 0;
  /** True if the service rejects unknown keys as if they exceeded the rate. */
  #limitsUnknownKeys = false;

  constructor(
    client: Client,
    {
      concurrency = 8,
      rate = Number.POSITIVE_INFINITY,
      maxRequests = Number.POSITIVE_INFINITY,
    }: Limits = {},
  ) {
    this.#client = client;
    this.clock = client.clock;
    this.concurrency = concurrency;
    this.rate = rate;
    this.maxRequests = maxRequests;
    this.#queue = new PQueue({ concurrency: this.concurrency });
    this.#pace = createRateLimiter(this.rate);
    this.#load = createLoadLimit(this.concurrency);
    // Every request in flight listens to the signal. There may be hundreds of them.
    setMaxListeners(0, this.ending);
  }

  /** Aborts with a `RunStopped` when the run is stopped. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  /** Stops sending requests, and ends all requests in flight. */
  stop(why: string): void {
    this.stopped ??= why;
    this.#ending.abort(new RunStopped(this.stopped));
  }

  /** Stops when the signal aborts, for its reason. Returns a function that stops listening. */
  stopOnAbort(signal: AbortSignal | undefined): () => void {
    if (signal === undefined) return () => undefined;
    const stop = () => this.stop(reasonOf(signal));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    return () => signal.removeEventListener('abort', stop);
  }

  /** Sends a request and returns its last try. @see tries */
  async get(target: RequestTarget): Promise<Exchange> {
    const tries = this.tries(target);
    for (;;) {
      const { done, value } = await tries.next();
      if (done) return value;
    }
  }

  /**
   * Sends a request, and repeats it while the service returns server errors or rejects it because
   * of the rate. Yields each try, and returns the last one.
   *
   * @throws {RunStopped} if no more requests may be sent to this operation, or to the service at
   * all.
   */
  async *tries(target: RequestTarget): AsyncGenerator<Exchange, Exchange> {
    const { path } = target;
    const servedBefore = this.#served.get(path);
    for (let [rejections, waitedMs] = [0, 0]; ; ) {
      this.#assertMaySend(target);
      const { rejection, startedAt, exchange } = yield* this.#triesWhileFailing(target);
      if (rejection === undefined) return exchange;
      const isOwnKey = carriesOnlyOwnKey(target);
      if (!isOwnKey && (await this.#isRejectedForKey(target))) return exchange;
      const waitMs = waitAfter(rejection, rejections);
      rejections++;
      if (rejection.isRateLimit) this.rateLimited++;
      const isNothingServed = this.#served.size === 0 && rejection.isRateLimit;
      const isFirst = isNothingServed && isOwnKey;
      waitedMs += waitMs;
      // A service that has not served any request yet may be rejecting the key.
      const { withRetryAfter, without } = MAX_RETRIES;
      const maxRetries = isFirst || rejection.retryAfterMs !== undefined ? withRetryAfter : without;
      const isStuck = rejections > maxRetries && this.#served.get(path) === servedBefore;
      const isHopeless = isStuck || (isFirst ? waitedMs : waitMs) > MAX_WAIT_MS;
      if (isHopeless || rejections > MAX_RETRIES_OF_ONE_REQUEST) {
        if (!rejection.isRateLimit) return exchange;
        const seconds = Math.ceil(waitMs / 1000);
        const why = `the service limits the rate: ${rejection.status} to ${counted(rejections, 'try', 'tries in a row')}; the next must wait ${seconds} s`;
        if (isNothingServed) this.stop(`${why}; perhaps it rejects the key`);
        if (isHopeless) this.#breaker.open(path, why);
        throw this.#reasonToStop() ?? new RunStopped(why, 'operation');
      }
      if (!rejection.retryAfterMs) this.#pace.rejected(startedAt, this.clock.now());
      this.#pause(waitMs);
    }
  }

  /** Sends a request, and repeats it with priority while the server fails. */
  async *#triesWhileFailing(target: RequestTarget): AsyncGenerator<Exchange, Sent> {
    for (let failures = 0; ; ) {
      const reply = await this.#sendInTurn(target, failures);
      yield reply.exchange;
      if (reply.rejection !== undefined) return reply;
      if (!reply.isFailed) {
        this.#retries.settled(failures, 'served');
        return reply;
      }
      failures++;
      const waitMs = this.#retries.waitMs(failures);
      if (waitMs === undefined || this.#reserved >= this.maxRequests) {
        this.#retries.settled(failures, 'failed');
        return reply;
      }
      if (waitMs > 0 && this.#retries.showsLimit()) {
        this.#pace.rejected(reply.startedAt, this.clock.now());
        this.#pause(waitMs);
      }
      await sleep(this.clock, waitMs, this.ending);
    }
  }

  /**
   * Returns whether the service limited the rate because the key is missing or is not the user's.
   * If so, it serves the same request with the user's key.
   *
   * @see Specification 5.3: "Response to a missing or invalid key [...]: not shown."
   */
  async #isRejectedForKey(target: RequestTarget): Promise<boolean> {
    if (this.#limitsUnknownKeys) return true;
    const query = pairsIn(target).filter(([name]) => name !== 'apiKey');
    const { rejection } = await this.#sendInTurn({ path: target.path, query });
    this.#limitsUnknownKeys = rejection === undefined;
    return this.#limitsUnknownKeys;
  }

  /** Sends a request as soon as a connection is free and the rate allows it. */
  #sendInTurn(target: RequestTarget, priority = 0): Promise<Sent> {
    if (this.#reserved >= this.maxRequests) {
      this.spent = `the budget of ${counted(this.maxRequests, 'request')} is spent`;
      throw new RunStopped(this.spent);
    }
    this.#reserved++;
    const send = async (): Promise<Sent> => {
      await this.#waitForTurn();
      this.#assertMaySend(target);
      this.sent++;
      const startedAt = this.clock.now();
      const inFlight = ++this.#onWire;
      const exchange = await this.#client.send(target, this.ending);
      this.#onWire--;
      const rejection = rejectionOf(exchange, Date.now());
      // A server error may be how the service rejects a missing or unknown key, so it is no
      // failure.
      const isFailed = carriesOnlyOwnKey(target) && isFault(exchange);
      this.#learn(target, exchange, startedAt);
      this.#load.replied(inFlight, isFailed);
      this.#queue.concurrency = this.#load.maxInFlight();
      if (rejection === undefined && !isFailed) {
        this.#served.set(target.path, (this.#served.get(target.path) ?? 0) + 1);
        this.#pace.served(this.clock.now());
      }
      return { startedAt, rejection, isFailed, exchange };
    };
    return this.#queue.add(send, { priority });
  }

  /** @throws {RunStopped} if the run was ended before the reply. */
  #learn(target: RequestTarget, { outcome }: Exchange, startedAt: number): void {
    const respondent = respondentTo(target);
    if (outcome.kind !== 'no-reply' || outcome.cause === 'too-large') {
      this.#breaker.replied(respondent);
    } else if (outcome.cause === 'aborted') {
      throw this.#reasonToStop() ?? new RunStopped('the request was aborted', 'operation');
    } else this.#breaker.unanswered(respondent, startedAt, this.clock.now());
  }

  async #waitForTurn(): Promise<void> {
    do {
      const now = this.clock.now();
      const turn = this.#pace.turn(Math.max(now, this.#pausedUntil));
      await sleep(this.clock, turn - now, this.ending);
    } while (this.clock.now() < this.#pausedUntil && this.stopped === undefined);
  }

  #pause(waitMs: number): void {
    const now = this.clock.now();
    const end = now + waitMs;
    // Concurrent requests wait at the same time.
    this.waitedMs += Math.max(0, end - Math.max(now, this.#pausedUntil));
    this.#pausedUntil = Math.max(this.#pausedUntil, end);
    this.onRateLimited(waitMs);
  }

  #assertMaySend(target: RequestTarget): void {
    const stopped = this.#reasonToStop();
    if (stopped !== undefined) throw stopped;
    const why =
      this.#breaker.openReason(target.path) ?? this.#breaker.openReason(respondentTo(target));
    if (why !== undefined) throw new RunStopped(why, 'operation');
  }

  #reasonToStop(): RunStopped | undefined {
    return this.stopped === undefined ? undefined : new RunStopped(this.stopped);
  }
}

/**
 * Returns a circuit breaker, which stops requests to an operation that no longer replies. Without
 * it, a run would wait for a timeout on every request. All times are milliseconds of one clock.
 */
function createCircuitBreaker() {
  const reasons = new Map<string, string>();
  const inRow = new Map<string, { readonly times: number; readonly foundAt: number }>();
  return {
    /** Returns why no more requests may be sent to a path; undefined if they may. */
    openReason: (path: string): string | undefined =>
      (inRow.get(path)?.times ?? 0) >= MAX_UNANSWERED_IN_ROW
        ? `${path} did not respond to ${MAX_UNANSWERED_IN_ROW} requests in a row`
        : reasons.get(path),
    /** Stops requests to a path, for the given reason. */
    open: (path: string, why: string) => void reasons.set(path, why),
    replied: (path: string) => void inRow.delete(path),
    unanswered: (path: string, startedAt: number, now: number): void => {
      const { times, foundAt } = inRow.get(path) ?? { times: 0, foundAt: 0 };
      // Concurrent requests that fail during one outage count once.
      if (startedAt >= foundAt) inRow.set(path, { times: times + 1, foundAt: now });
    },
  };
}

function carriesOnlyOwnKey(target: RequestTarget): boolean {
  const keys = pairsIn(target).flatMap(([name, value]) => (name === 'apiKey' ? [value] : []));
  return (target.key ?? 'append') === 'append'
    ? keys.length === 0
    : keys.join() === KEY_PLACEHOLDER;
}

/**
 * Returns the name under which the circuit breaker counts a request: the path of its operation. All
 * requests without the user's key share one name, because the service may ignore them on purpose.
 */
function respondentTo(target: RequestTarget): string {
  return carriesOnlyOwnKey(target) ? target.path : 'the service, requested without its key,';
}

/**
 * Returns how long the service asks the client to wait. If that is nothing or almost nothing,
 * returns a pause that increases with each rejection.
 */
function waitAfter({ retryAfterMs }: Rejection, rejections: number): number {
  if (retryAfterMs === undefined) return Math.min(500 * 2 ** rejections, MAX_WAIT_MS);
  const min = Math.min(50 * 2 ** rejections, 4_000);
  return rejections === 0 ? retryAfterMs : Math.max(retryAfterMs, min);
}

/** The run cannot send a request; `message` is the reason in one plain sentence. */
export class RunStopped extends Error {
  override readonly name = 'RunStopped';
  /** Requests that are not sent: all, or only those to one operation. */
  readonly scope: 'run' | 'operation';

  constructor(message: string, scope: RunStopped['scope'] = 'run') {
    super(message);
    this.scope = scope;
  }
}

function reasonOf({ reason }: AbortSignal): string {
  const why = reason instanceof Error && reason.name !== 'AbortError' ? reason.message : reason;
  return typeof why === 'string' ? why : 'the run was interrupted';
}
