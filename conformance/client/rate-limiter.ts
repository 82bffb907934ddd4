import { type Exchange, isFault } from './exchange.ts';

/** Requests per second if nothing but the existence of a limit is known. */
const UNKNOWN_RATE = 2;
/** Minimum window: limits are rarely counted in less than a second. */
const MIN_WINDOW_MS = 1_000;
/** A rate that was accepted for this long is raised a little. */
const RAISED_AFTER_MS = 5_000;
const RAISE = 1.1;

export type RateLimiter = ReturnType<typeof createRateLimiter>;

/**
 * Tells how fast a service is asked: the rate begins at `rate` requests a second,
 * or without a bound, falls towards nine tenths of what was served whenever the
 * service refuses, by half at most, and rises slowly while it does not. Times are
 * milliseconds of one clock.
 */
export function createRateLimiter(rate: number | undefined) {
  const minGap = rate === undefined ? 0 : 1000 / rate;
  let [gap, next, pausedUntil, changedAt, served] = [minGap, 0, 0, 0, 0];
  let since: number | undefined;
  return {
    /** When the next request may start; takes that turn, which a pause may make void. */
    turn: (now: number): number => {
      since ??= now;
      const due = Math.max(now, next);
      next = due + gap;
      return due;
    },
    /** Nothing starts before that. */
    pauseUntil: (time: number): void => {
      pausedUntil = Math.max(pausedUntil, time);
      next = Math.max(next, time);
    },
    isPaused: (now: number) => now < pausedUntil,
    served: (now: number): void => {
      served++;
      if (gap === minGap || now - changedAt < RAISED_AFTER_MS) return;
      gap = Math.max(minGap, gap / RAISE);
      changedAt = now;
    },
    /** The service refused a request for coming too soon, and does not say when to come again. */
    refused: (startedAt: number, now: number): void => {
      // Of a burst that was refused together, the first says all.
      if (startedAt < changedAt) return;
      const measured = (served * 900) / Math.max(MIN_WINDOW_MS, now - (since ?? now));
      const current = gap === 0 ? Number.POSITIVE_INFINITY : 1000 / gap;
      // Nothing was served since it was slowed: the pause has yet to show what that does.
      if (served === 0) gap = gap === 0 ? 1000 / UNKNOWN_RATE : gap;
      else if (gap === 0) gap = 1000 / measured;
      else gap = 1000 / Math.min(current * 0.9, Math.max(measured, current / 2));
      [changedAt, since, served] = [now, now, 0];
    },
  };
}

/** A reply that asks to come again later, and when, where it says so. */
export type Refusal = { readonly status: number; readonly retryAfterMs: number | undefined };

/** A 429, or a fault of the server that asks to come again; undefined for anything else. */
export function refusalOf(exchange: Exchange, epochMs: number): Refusal | undefined {
  const { outcome } = exchange;
  if (outcome.kind === 'no-reply') return undefined;
  const { status, headers } = outcome;
  if (status !== 429 && !isFault(exchange)) return undefined;
  const retryAfterMs = readRetryAfter(headers['retry-after']?.[0], epochMs);
  return status !== 429 && retryAfterMs === undefined ? undefined : { status, retryAfterMs };
}

/**
 * Milliseconds that a `retry-after` header asks to wait: seconds, or a date.
 * Undefined where it is neither.
 *
 * @example readRetryAfter('2', 0) // 2000
 * @see RFC 9110, section 10.2.3
 */
export function readRetryAfter(header: string | undefined, epochMs: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^[0-9]+(\.[0-9]+)?$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - epochMs);
}
