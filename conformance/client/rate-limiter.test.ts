import { describe, expect, test } from 'vitest';
import { createRateLimiter, readRetryAfter } from './rate-limiter.ts';

type Limit = { readonly requests: number; readonly windowMs: number };

function simulate({ requests, windowMs }: Limit, forMs: number) {
  const limiter = createRateLimiter(Number.POSITIVE_INFINITY);
  const windows = new Map<number, number>();
  const slots = Array.from({ length: 8 }, () => ({ freeAt: 0, rejections: 0 }));
  let [served, rejected, pausedUntil] = [0, 0, 0];
  for (;;) {
    const slot = slots.reduce((one, other) => (other.freeAt < one.freeAt ? other : one));
    const start = limiter.turn(Math.max(slot.freeAt, pausedUntil));
    if (start > forMs) return { served, rejected };
    const now = start + 50;
    slot.freeAt = now;
    const window = Math.floor(start / windowMs);
    const used = windows.get(window) ?? 0;
    if (used < requests) {
      windows.set(window, used + 1);
      served++;
      slot.rejections = 0;
      limiter.served(now);
    } else {
      rejected++;
      limiter.rejected(start, now);
      const end = now + Math.min(500 * 2 ** slot.rejections++, 60_000);
      pausedUntil = Math.max(pausedUntil, end);
    }
  }
}

describe('createRateLimiter', () => {
  test('no limit -> everything at once', () => {
    const limiter = createRateLimiter(Number.POSITIVE_INFINITY);
    expect([limiter.turn(5), limiter.turn(5), limiter.turn(6)]).toEqual([5, 5, 6]);
  });

  test('a rate -> never exceeded, however fast the service', () => {
    const limiter = createRateLimiter(10);
    const turns = Array.from({ length: 50 }, () => {
      const turn = limiter.turn(0);
      limiter.served(turn);
      return turn;
    });
    expect(turns.at(-1)).toBe(4_900);
  });

  test.each([
    ['5 a second', { requests: 5, windowMs: 1_000 }, 0.05],
    ['50 a second', { requests: 50, windowMs: 1_000 }, 0.05],
    ['25 in five seconds', { requests: 25, windowMs: 5_000 }, 0.05],
    ['100 a minute', { requests: 100, windowMs: 60_000 }, 0.3],
  ])('a limit of %s -> mostly used, and few requests are rejected', (_, limit, share) => {
    const { served, rejected } = simulate(limit, 600_000);
    const most = (limit.requests * 600_000) / limit.windowMs;
    expect(served).toBeGreaterThan(most * 0.8);
    expect(rejected).toBeLessThan(most * share);
  });

  test('a burst that is rejected together -> slows down once, not once per request', () => {
    const [one, other] = [
      createRateLimiter(Number.POSITIVE_INFINITY),
      createRateLimiter(Number.POSITIVE_INFINITY),
    ];
    for (let at = 0; at < 100; at++) {
      one.served(one.turn(at * 10));
      other.served(other.turn(at * 10));
    }
    one.rejected(1_000, 1_010);
    for (let times = 0; times < 8; times++) other.rejected(1_000 + times, 1_010);
    expect([other.turn(2_000), other.turn(2_000)]).toEqual([one.turn(2_000), one.turn(2_000)]);
  });
});

describe('readRetryAfter', () => {
  test.each([
    ['2', 2000],
    [' 0 ', 0],
    ['Thu, 01 Jan 1970 00:00:05 GMT', 4000],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['soon', undefined],
    ['-1', undefined],
    ['-1.5', undefined],
    ['1e9', undefined],
    ['2030', 2_030_000],
    ['-1 second', undefined],
    ['Jan 5', undefined],
    [undefined, undefined],
  ])('%j -> %j', (header, expected) => {
    expect(readRetryAfter(header, 1000)).toBe(expected);
  });
});
