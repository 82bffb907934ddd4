import type { Client } from '../client/client.ts';
import { type Exchange, statusOf } from '../client/exchange.ts';
import type { RequestTarget } from '../client/request.ts';
import { RunStopped } from '../model/session.ts';
import { createPace } from './pace.ts';
import { createPatience } from './patience.ts';
import { retryAfterMs } from './retry-after.ts';

/** Sends requests for everyone in a run, within its budget and the service's limits. */
export type Scheduler = {
  /** @throws {RunStopped} when nothing more may be sent, to anywhere or to this operation. */
  readonly get: <T>(target: RequestTarget, inspect: (exchange: Exchange) => T) => Promise<T>;
  readonly sent: () => number;
  readonly rateLimited: () => number;
  /** Why nothing more is sent, once that is so. */
  readonly stopped: () => string | undefined;
  /** Ends everything in flight. */
  readonly stop: (why: string) => void;
};

export type SchedulerOptions = {
  readonly client: Client;
  /** Requests in flight at once. */
  readonly concurrency: number;
  /** Requests a second at most; unset, as fast as they are answered. */
  readonly rate: number | undefined;
  readonly maxRequests: number | undefined;
  readonly onRateLimited: (waitMs: number) => void;
};

/**
 * A request that is refused for the rate is sent again this often while no other
 * of its operation is served; then the operation is asked no more.
 */
const MAX_RETRIES = { told: 5, untold: 7 };
/** However many others are served, it is sent no more often than this. */
const MAX_REFUSALS = 40;
/** Nobody waits longer than this for a limit to lift. */
const MAX_WAIT_MS = 60_000;
/** An operation that did not answer this many requests in a row is asked no more. */
const MAX_SILENT = 5;

/** A scheduler that has sent nothing yet. */
export function createScheduler(options: SchedulerOptions): Scheduler {
  const { client, concurrency, maxRequests = Number.POSITIVE_INFINITY } = options;
  const ending = new AbortController();
  const waiting: (() => void)[] = [];
  const silent = new Map<string, Silence>();
  const served = new Map<string, number>();
  const limited = new Map<string, string>();
  const pace = createPace(options.rate);
  const patience = createPatience();
  let [reserved, sent, inFlight, rateLimited] = [0, 0, 0, 0];
  let stopped: string | undefined;

  const stop = (why: string) => {
    stopped ??= why;
    ending.abort();
    for (const wake of waiting.splice(0)) wake();
  };
  const assertMaySend = (path: string) => {
    if (stopped !== undefined) throw new RunStopped(stopped);
    if ((silent.get(path)?.times ?? 0) >= MAX_SILENT) {
      throw new RunStopped(`${path} did not answer ${MAX_SILENT} requests in a row`);
    }
    const limit = limited.get(path);
    if (limit !== undefined) throw new RunStopped(limit);
  };
  const reserve = () => {
    if (reserved >= maxRequests) {
      throw new RunStopped(`the budget of ${maxRequests} requests is spent`);
    }
    reserved++;
  };
  const enter = async () => {
    while (inFlight >= concurrency) {
      await new Promise<void>((resolve) => waiting.push(resolve));
      if (stopped !== undefined) throw new RunStopped(stopped);
    }
    inFlight++;
  };
  const leave = () => {
    inFlight--;
    waiting.shift()?.();
  };
  const pause = (waitMs: number) => {
    pace.pauseUntil(performance.now() + waitMs);
    options.onRateLimited(waitMs);
  };

  const waitForTurn = async () => {
    do {
      await sleepUntil(pace.turn(performance.now()), ending.signal);
    } while (pace.isPaused(performance.now()) && stopped === undefined);
  };

  const sendOnce = async <T>(target: RequestTarget, inspect: (exchange: Exchange) => T) => {
    await waitForTurn();
    assertMaySend(target.path);
    sent++;
    const startedAt = performance.now();
    return await client.send(target, ending.signal, (exchange) => {
      countSilence(silent, target.path, exchange, startedAt);
      if (isAborted(exchange)) throw new RunStopped(stopped ?? 'the run was ended');
      const limit = limitOf(exchange);
      const isFailed = statusOf(exchange) === 500;
      if (limit === undefined && !isFailed) {
        served.set(target.path, (served.get(target.path) ?? 0) + 1);
        pace.served(performance.now());
      }
      return { startedAt, limit, isFailed, result: inspect(exchange) };
    });
  };

  /** Asks again, in the same turn, what was answered with 500. */
  const sendPatiently = async <T>(target: RequestTarget, inspect: (exchange: Exchange) => T) => {
    for (let failures = 0; ; ) {
      const reply = await sendOnce(target, inspect);
      if (reply.limit !== undefined) return reply;
      if (!reply.isFailed) {
        patience.settled(failures, 'answered');
        return reply;
      }
      failures++;
      const waitMs = patience.waitMs(failures);
      if (waitMs === undefined || reserved >= maxRequests) {
        patience.settled(failures, 'failed');
        return reply;
      }
      if (waitMs > 0 && patience.showsLimit()) {
        pace.refused(reply.startedAt, performance.now());
        pause(waitMs);
      }
      await sleepUntil(performance.now() + waitMs, ending.signal);
      reserve();
    }
  };

  const get: Scheduler['get'] = async (target, inspect) => {
    const { path } = target;
    const servedBefore = served.get(path);
    for (let refusals = 0; ; ) {
      assertMaySend(path);
      reserve();
      await enter();
      const { startedAt, limit, result } = await sendPatiently(target, inspect).finally(leave);
      if (limit === undefined) return result;
      const waitMs = waitOf(limit.retryAfterMs, refusals);
      refusals++;
      if (limit.status === 429) rateLimited++;
      const most = MAX_RETRIES[limit.retryAfterMs === undefined ? 'untold' : 'told'];
      const isStuck = refusals > most && served.get(path) === servedBefore;
      const isHopeless = isStuck || waitMs > MAX_WAIT_MS;
      if (isHopeless || refusals > MAX_REFUSALS) {
        if (limit.status === 500) return result;
        const wait = `${refusals} tries, wait ${Math.ceil(waitMs / 1000)} s`;
        const why = `the service limits the rate: 429 to ${wait}`;
        if (isHopeless) limited.set(path, why);
        throw new RunStopped(why);
      }
      if (!limit.retryAfterMs) pace.refused(startedAt, performance.now());
      pause(waitMs);
    }
  };

  return { get, sent: () => sent, rateLimited: () => rateLimited, stopped: () => stopped, stop };
}

/** The service's own wait, but ever longer pauses where it says none, or none to speak of. */
function waitOf(retryAfter: number | undefined, refusals: number): number {
  if (retryAfter === undefined) return Math.min(500 * 2 ** refusals, MAX_WAIT_MS);
  return refusals === 0 ? retryAfter : Math.max(retryAfter, Math.min(50 * 2 ** refusals, 4_000));
}

type Limit = { readonly status: 429 | 500; readonly retryAfterMs: number | undefined };

/** A 429, or a 500 that asks to come again: the specification has no other word for it. */
function limitOf(exchange: Exchange): Limit | undefined {
  const status = statusOf(exchange);
  if (exchange.outcome.kind !== 'reply' || (status !== 429 && status !== 500)) return undefined;
  const waitMs = retryAfterMs(exchange.outcome.headers['retry-after']?.[0], Date.now());
  return status === 500 && waitMs === undefined ? undefined : { status, retryAfterMs: waitMs };
}

function isAborted({ outcome }: Exchange): boolean {
  return outcome.kind === 'no-reply' && outcome.cause === 'aborted';
}

/** Requests in a row that an operation did not answer, and when that was last found. */
type Silence = { readonly times: number; readonly foundAt: number };

/** Requests that were under way together when the service paused were not answered once, not many times. */
function countSilence(
  silent: Map<string, Silence>,
  path: string,
  { outcome }: Exchange,
  startedAt: number,
): void {
  const { times, foundAt } = silent.get(path) ?? { times: 0, foundAt: 0 };
  if (outcome.kind === 'reply') silent.delete(path);
  else if (startedAt >= foundAt) silent.set(path, { times: times + 1, foundAt: performance.now() });
}

function sleepUntil(time: number, signal: AbortSignal): Promise<void> {
  const ms = time - performance.now();
  if (ms <= 0) return Promise.resolve();
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    if (signal.aborted) wake();
    else signal.addEventListener('abort', wake, { once: true });
  });
}
