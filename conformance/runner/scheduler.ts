import type { Client } from '../client/client.ts';
import type { Exchange } from '../client/exchange.ts';
import { retryAfterMs } from './retry-after.ts';
import { type RequestTarget, RunStopped } from './session.ts';

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

/** A request is sent again this often when it is answered with 429. */
const MAX_RETRIES = 5;
/** Nobody waits longer than this for a limit to lift. */
const MAX_WAIT_MS = 60_000;
/** An operation that did not answer this many requests in a row is asked no more. */
const MAX_SILENT = 5;

/** A scheduler that has sent nothing yet. */
export function createScheduler(options: SchedulerOptions): Scheduler {
  const { client, concurrency, rate, maxRequests = Number.POSITIVE_INFINITY } = options;
  const ending = new AbortController();
  const waiting: (() => void)[] = [];
  const silent = new Map<string, number>();
  let [reserved, sent, inFlight, rateLimited, nextStart, pausedUntil] = [0, 0, 0, 0, 0, 0];
  let stopped: string | undefined;

  const stop = (why: string) => {
    stopped ??= why;
    ending.abort();
    for (const wake of waiting.splice(0)) wake();
  };
  const assertMaySend = (path: string) => {
    if (stopped !== undefined) throw new RunStopped(stopped);
    if ((silent.get(path) ?? 0) >= MAX_SILENT) {
      throw new RunStopped(`${path} did not answer ${MAX_SILENT} requests in a row`);
    }
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
  const waitWhilePaused = async () => {
    while (performance.now() < pausedUntil && stopped === undefined) {
      await sleep(pausedUntil - performance.now(), ending.signal);
    }
  };
  const waitForTurn = async () => {
    await waitWhilePaused();
    if (rate === undefined) return;
    const due = Math.max(performance.now(), nextStart);
    nextStart = due + 1000 / rate;
    await sleep(due - performance.now(), ending.signal);
    await waitWhilePaused();
  };

  const sendOnce = async <T>(target: RequestTarget, inspect: (exchange: Exchange) => T) => {
    await enter();
    try {
      await waitForTurn();
      assertMaySend(target.path);
      sent++;
      return await client.send(target, ending.signal, (exchange) => {
        countSilence(silent, target.path, exchange);
        if (isAborted(exchange)) throw new RunStopped(stopped ?? 'the run was ended');
        return { limited: limitOf(exchange), result: inspect(exchange) };
      });
    } finally {
      leave();
    }
  };

  return {
    sent: () => sent,
    rateLimited: () => rateLimited,
    stopped: () => stopped,
    stop,
    get: async (target, inspect) => {
      for (let attempt = 0; ; attempt++) {
        assertMaySend(target.path);
        reserve();
        const { limited, result } = await sendOnce(target, inspect);
        if (limited === undefined) return result;
        rateLimited++;
        const waitMs = limited.retryAfterMs ?? 500 * 2 ** attempt;
        if (attempt >= MAX_RETRIES || waitMs > MAX_WAIT_MS) {
          throw new RunStopped(
            `the service limits the rate: 429 to ${attempt + 1} tries, wait ${Math.ceil(waitMs / 1000)} s`,
          );
        }
        pausedUntil = performance.now() + waitMs;
        nextStart = Math.max(nextStart, pausedUntil);
        options.onRateLimited(waitMs);
      }
    },
  };
}

function limitOf({ outcome }: Exchange): { readonly retryAfterMs: number | undefined } | undefined {
  if (outcome.kind !== 'reply' || outcome.status !== 429) return undefined;
  return { retryAfterMs: retryAfterMs(outcome.headers['retry-after']?.[0], Date.now()) };
}

function isAborted({ outcome }: Exchange): boolean {
  return outcome.kind === 'no-reply' && outcome.cause === 'aborted';
}

function countSilence(silent: Map<string, number>, path: string, { outcome }: Exchange): void {
  silent.set(path, outcome.kind === 'reply' ? 0 : (silent.get(path) ?? 0) + 1);
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
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
