import { setMaxListeners } from 'node:events';
import { createCircuitBreaker } from './circuit-breaker.ts';
import type { Client } from './client.ts';
import { type Clock, SYSTEM_CLOCK, sleep } from './clock.ts';
import { type Exchange, isFault } from './exchange.ts';
import { createLoadLimit } from './load-limit.ts';
import { createRateLimiter, type Refusal, refusalOf } from './rate-limiter.ts';
import { KEY_PLACEHOLDER, pairsIn, type RequestTarget } from './request.ts';
import { createRetryPolicy } from './retry-policy.ts';

/** Sends requests for everyone in a run, within its budget and the service's limits. */
export type Scheduler = ReturnType<typeof createScheduler>;

type Inspect<T> = (exchange: Exchange) => T | Promise<T>;

export type SchedulerOptions = {
  readonly client: Client;
  /** Requests in flight at once. */
  readonly concurrency: number;
  /** Requests a second at most; unset, as fast as they are answered. */
  readonly rate?: number | undefined;
  readonly maxRequests?: number | undefined;
  readonly onRateLimited: (waitMs: number) => void;
  /** Default: the machine's. */
  readonly clock?: Clock | undefined;
};

/**
 * A request that is refused for the rate is sent again this often while no other
 * of its operation is served; then the operation is asked no more.
 */
const MAX_RETRIES = { told: 5, untold: 7 };
/** Where nothing was served yet, the key may be what is refused. */
const MAX_FIRST_RETRIES = 5;
/** However many others are served, it is sent no more often than this. */
const MAX_REFUSALS = 40;
/** Nobody waits longer than this for a limit to lift, nor, in all, for the first reply of a service. */
const MAX_WAIT_MS = 60_000;

/** A scheduler that has sent nothing yet. */
export function createScheduler(options: SchedulerOptions) {
  const sending = openSending(options);
  return {
    /** @throws {RunStopped} when nothing more may be sent, to anywhere or to this operation. */
    get: <T>(target: RequestTarget, inspect: Inspect<T>) =>
      sendWithinLimits(sending, target, inspect),
    sent: () => sending.sent,
    /** Replies with status 429. */
    rateLimited: () => sending.rateLimited,
    /** Why nothing more is sent, once that is so. */
    stopped: () => sending.stopped,
    /** Aborts once nothing more is sent. */
    ending: sending.ending.signal as AbortSignal,
    /** Ends everything in flight. */
    stop: (why: string) => {
      sending.stopped ??= why;
      sending.ending.abort();
      for (const wake of [...sending.waiting.splice(0), ...sending.held.splice(0)]) wake();
    },
  };
}

/** What is known of all that is sent. */
type Sending = ReturnType<typeof openSending>;

function openSending(options: SchedulerOptions) {
  const ending = new AbortController();
  // Every request in flight listens to it, and there may be hundreds.
  setMaxListeners(0, ending.signal);
  return {
    ...options,
    clock: options.clock ?? SYSTEM_CLOCK,
    maxRequests: options.maxRequests ?? Number.POSITIVE_INFINITY,
    limiter: createRateLimiter(options.rate),
    load: createLoadLimit(options.concurrency),
    /** Requests that were sent and not answered yet. */
    onWire: 0,
    retries: createRetryPolicy(),
    breaker: createCircuitBreaker(),
    ending,
    /** Wakes those that wait for one in flight to end. */
    waiting: [] as (() => void)[],
    /** Wakes those that wait since the service takes no more at once. */
    held: [] as (() => void)[],
    /** Requests that were served, by path. */
    served: new Map<string, number>(),
    stopped: undefined as string | undefined,
    /** The service answers keys that it does not know with 429. */
    isKeyTold: false,
    /** Requests of the budget that were promised to someone. */
    reserved: 0,
    sent: 0,
    inFlight: 0,
    rateLimited: 0,
  };
}

type Sent<T> = {
  readonly result: T;
  readonly startedAt: number;
  /** Set where the service refused it for coming too soon. */
  readonly refusal: Refusal | undefined;
  readonly isFailed: boolean;
};

/** Sends a request, and sends it again while it is refused for the rate. */
async function sendWithinLimits<T>(
  sending: Sending,
  target: RequestTarget,
  inspect: Inspect<T>,
): Promise<T> {
  const { served, breaker, limiter, clock } = sending;
  const { path } = target;
  const servedBefore = served.get(path);
  for (let [refusals, waitedMs] = [0, 0]; ; ) {
    assertMaySend(sending, target);
    reserve(sending);
    await enter(sending);
    const reply = await sendWithRetries(sending, target, inspect).finally(() => leave(sending));
    const { refusal, startedAt, result } = reply;
    if (refusal === undefined) return result;
    const isOwnKey = carriesOwnKey(target);
    if (!isOwnKey && (await isRefusedForKey(sending, target))) return result;
    const waitMs = waitAfter(refusal, refusals);
    refusals++;
    if (refusal.status === 429) sending.rateLimited++;
    const isNothingServed = served.size === 0 && refusal.status === 429;
    const isFirst = isNothingServed && isOwnKey;
    const most = isFirst
      ? MAX_FIRST_RETRIES
      : MAX_RETRIES[refusal.retryAfterMs === undefined ? 'untold' : 'told'];
    const isStuck = refusals > most && served.get(path) === servedBefore;
    waitedMs += waitMs;
    const isHopeless = isStuck || (isFirst ? waitedMs : waitMs) > MAX_WAIT_MS;
    if (isHopeless || refusals > MAX_REFUSALS) {
      if (refusal.status !== 429) return result;
      const wait = `${refusals} tries, wait ${Math.ceil(waitMs / 1000)} s`;
      const why = `the service limits the rate: 429 to ${wait}`;
      if (isNothingServed) sending.stopped ??= `${why}; perhaps it refuses the key`;
      if (isHopeless) breaker.open(path, why);
      throw new RunStopped(why);
    }
    if (!refusal.retryAfterMs) limiter.refused(startedAt, clock.now());
    pause(sending, waitMs);
  }
}

/** Returns whether a request carries the user's key, and no other. */
function carriesOwnKey(target: RequestTarget): boolean {
  const keys = pairsIn(target).flatMap(([name, value]) => (name === 'apiKey' ? [value] : []));
  return (target.key ?? 'append') === 'append'
    ? keys.length === 0
    : keys.join() === KEY_PLACEHOLDER;
}

/**
 * Returns what is given up where requests are not answered: the operation, but
 * for those with another key, or none, all of them together and no operation.
 * Silence may be how the service refuses them.
 */
function whatAnswers(target: RequestTarget): string {
  return carriesOwnKey(target) ? target.path : 'the service, asked without its key,';
}

/**
 * Returns whether a refusal of another key, or of none, follows the key: the
 * same with the user's key is served at that moment.
 *
 * @see Specification 5.3: "Response to a missing or invalid key [...]: not shown."
 */
async function isRefusedForKey(sending: Sending, target: RequestTarget): Promise<boolean> {
  if (sending.isKeyTold) return true;
  const keyed = {
    path: target.path,
    query: pairsIn(target).filter(([name]) => name !== 'apiKey'),
  };
  reserve(sending);
  await enter(sending);
  const { refusal } = await sendOnce(sending, keyed, () => undefined).finally(() => leave(sending));
  sending.isKeyTold = refusal === undefined;
  return sending.isKeyTold;
}

/** Sends a request, and sends it again, in the same turn, while the server fails. */
async function sendWithRetries<T>(
  sending: Sending,
  target: RequestTarget,
  inspect: Inspect<T>,
): Promise<Sent<T>> {
  const { retries, limiter, clock, ending } = sending;
  for (let failures = 0; ; ) {
    const reply = await sendOnce(sending, target, inspect);
    if (reply.refusal !== undefined) return reply;
    if (!reply.isFailed) {
      retries.settled(failures, 'answered');
      return reply;
    }
    failures++;
    const waitMs = retries.waitMs(failures);
    if (waitMs === undefined || sending.reserved >= sending.maxRequests) {
      retries.settled(failures, 'failed');
      return reply;
    }
    if (waitMs > 0 && retries.showsLimit()) {
      limiter.refused(reply.startedAt, clock.now());
      pause(sending, waitMs);
    }
    await sleep(clock, waitMs, ending.signal);
    reserve(sending);
  }
}

async function sendOnce<T>(
  sending: Sending,
  target: RequestTarget,
  inspect: Inspect<T>,
): Promise<Sent<T>> {
  const { client, clock, ending, breaker, served, limiter, load } = sending;
  const { path } = target;
  const [isOwnKey, asked] = [carriesOwnKey(target), whatAnswers(target)];
  await waitForTurn(sending);
  assertMaySend(sending, target);
  sending.sent++;
  const startedAt = clock.now();
  const inFlight = ++sending.onWire;
  return client.send(target, ending.signal, async (exchange) => {
    sending.onWire--;
    sending.held.shift()?.();
    const { outcome } = exchange;
    if (outcome.kind !== 'no-reply' || outcome.cause === 'too-large') breaker.answered(asked);
    else if (outcome.cause !== 'aborted') breaker.unanswered(asked, startedAt, clock.now());
    else throw new RunStopped(sending.stopped ?? 'the run was ended');
    const refusal = refusalOf(exchange, Date.now());
    // What answers another key, or none, is not said: a fault may be the refusal.
    const isFailed = isOwnKey && isFault(exchange);
    load.replied(inFlight, isFailed);
    if (refusal === undefined && !isFailed) {
      served.set(path, (served.get(path) ?? 0) + 1);
      limiter.served(clock.now());
    }
    return { startedAt, refusal, isFailed, result: await inspect(exchange) };
  });
}

async function waitForTurn(sending: Sending): Promise<void> {
  const { limiter, clock, ending, load, held } = sending;
  do {
    const now = clock.now();
    await sleep(clock, limiter.turn(now) - now, ending.signal);
    while (sending.onWire >= load.most() && sending.stopped === undefined) {
      await new Promise<void>((resolve) => held.push(resolve));
    }
  } while (limiter.isPaused(clock.now()) && sending.stopped === undefined);
}

function pause({ limiter, clock, onRateLimited }: Sending, waitMs: number): void {
  limiter.pauseUntil(clock.now() + waitMs);
  onRateLimited(waitMs);
}

/** The service's own wait, but ever longer pauses where it says none, or none to speak of. */
function waitAfter({ retryAfterMs }: Refusal, refusals: number): number {
  if (retryAfterMs === undefined) return Math.min(500 * 2 ** refusals, MAX_WAIT_MS);
  const least = Math.min(50 * 2 ** refusals, 4_000);
  return refusals === 0 ? retryAfterMs : Math.max(retryAfterMs, least);
}

function assertMaySend({ stopped, breaker }: Sending, target: RequestTarget): void {
  const why = stopped ?? breaker.openReason(target.path) ?? breaker.openReason(whatAnswers(target));
  if (why !== undefined) throw new RunStopped(why);
}

function reserve(sending: Sending): void {
  if (sending.reserved >= sending.maxRequests) {
    throw new RunStopped(`the budget of ${sending.maxRequests} requests is spent`);
  }
  sending.reserved++;
}

async function enter(sending: Sending): Promise<void> {
  while (sending.inFlight >= sending.concurrency) {
    await new Promise<void>((resolve) => sending.waiting.push(resolve));
    if (sending.stopped !== undefined) throw new RunStopped(sending.stopped);
  }
  sending.inFlight++;
}

function leave(sending: Sending): void {
  sending.inFlight--;
  sending.waiting.shift()?.();
}

/** The run cannot send what was asked for; `message` says why in one plain sentence. */
export class RunStopped extends Error {
  override readonly name = 'RunStopped';
}
