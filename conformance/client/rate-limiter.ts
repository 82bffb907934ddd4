import { type Exchange, isFault, type Reply } from './exchange.ts';

const FIRST_GUESS_PER_SECOND = 2;
/** Rate limits rarely use a window shorter than a second. */
const MIN_WINDOW_MS = 1_000;
const RAISED_AFTER_QUIET_MS = 5_000;
const RAISE = 1.1;

export type RateLimiter = ReturnType<typeof createRateLimiter>;

/**
 * Returns a rate limiter that starts with `rate` requests per second, which may be `Infinity`. When
 * the service rejects requests, the limiter lowers the rate to nine tenths of the rate at which
 * requests were served, but at most by half. Otherwise, it raises the rate slowly. All times are
 * milliseconds on one clock.
 */
export function createRateLimiter(rate: number) {
  const minGap = 1000 / rate;
  let [gap, next, changedAt, served] = [minGap, 0, 0, 0];
  let since: number | undefined;
  return {
    /** Returns when the next request may start, and reserves that slot. */
    turn: (now: number): number => {
      since ??= now;
      const due = Math.max(now, next);
      next = due + gap;
      return due;
    },
    served: (now: number): void => {
      served++;
      if (gap === minGap || now - changedAt < RAISED_AFTER_QUIET_MS) return;
      gap = Math.max(minGap, gap / RAISE);
      changedAt = now;
    },
    /**
     * Records that the service rejected a request because of the rate and did not state when to
     * retry.
     */
    rejected: (startedAt: number, now: number): void => {
      // The first rejection in a burst represents the whole burst.
      if (startedAt < changedAt) return;
      const measured = (served * 900) / Math.max(MIN_WINDOW_MS, now - (since ?? now));
      const current = gap === 0 ? Number.POSITIVE_INFINITY : 1000 / gap;
      // If nothing was served since the last slowdown, the effect of that slowdown will only show
      // after the pause.
      if (served === 0) gap = gap === 0 ? 1000 / FIRST_GUESS_PER_SECOND : gap;
      else if (gap === 0) gap = 1000 / measured;
      else gap = 1000 / Math.min(current * 0.9, Math.max(measured, current / 2));
      [changedAt, since, served] = [now, now, 0];
    },
  };
}

/** A reply that asks the client to retry later. The reply may state how long to wait. */
export type Rejection = {
  readonly status: number;
  readonly retryAfterMs: number | undefined;
  /** True for a limit on the rate, false for a server error. */
  readonly isRateLimit: boolean;
};

/**
 * Returns whether a reply rejects a request because of the rate: a 429, or a 403 whose headers
 * state when to retry or that no request is left. Other headers about rates may be on every reply.
 *
 * @see https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api, a known user of 403
 */
export function isRateLimit({ status, headers }: Pick<Reply, 'status' | 'headers'>): boolean {
  if (status !== 403) return status === 429;
  return Object.entries(headers).some(
    ([name, [value = ''] = []]) =>
      name === 'retry-after' ||
      (/^(x-)?rate-?limit-remaining$/.test(name) && Number(value) === 0) ||
      (name === 'ratelimit' && /\b(r|remaining)=0\b/.test(value)),
  );
}

/**
 * Returns the rejection if a reply limits the rate, or is a server error with a time to retry;
 * otherwise undefined.
 */
export function rejectionOf(exchange: Exchange, epochMs: number): Rejection | undefined {
  const { outcome } = exchange;
  if (outcome.kind === 'no-reply') return undefined;
  const { status, headers } = outcome;
  const isLimit = isRateLimit({ status, headers });
  if (!isLimit && !isFault(exchange)) return undefined;
  // A date in `retry-after` is a time on the service's clock.
  const date = Date.parse(headers['date']?.[0] ?? '');
  const now = Number.isNaN(date) ? epochMs : date;
  const retryAfterMs = readRetryAfter(headers['retry-after']?.[0], now);
  return !isLimit && retryAfterMs === undefined
    ? undefined
    : { status, retryAfterMs, isRateLimit: isLimit };
}

/**
 * Returns the milliseconds to wait according to a `retry-after` header, which contains a number of
 * seconds or a date. Returns undefined for other texts.
 *
 * @example readRetryAfter('2', 0) // 2000
 * @see RFC 9110, section 10.2.3
 */
export function readRetryAfter(header: string | undefined, epochMs: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^[0-9]+(\.[0-9]+)?$/.test(text)) return Number(text) * 1000;
  // JavaScript parses even a text such as `-1` as a date.
  const date = /^[a-z]{3,}, /i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - epochMs);
}
