import { describe, expect, test } from 'vitest';
import type { Client } from './client.ts';
import { type Clock, sleep } from './clock.ts';
import type { Exchange } from './exchange.ts';
import { createFakeClock } from './fake-clock.testing.ts';
import { createRedactor } from './redaction.ts';
import { createScheduler, RunStopped, type SchedulerOptions } from './scheduler.ts';

const chains = { path: '/api/v1.0/chains', query: [] };

function reply(status: number, headers: Record<string, string[]> = {}): Exchange['outcome'] {
  return {
    kind: 'reply',
    status,
    headers,
    text: '[]',
    document: { kind: 'json', value: [], duplicateKeys: [] },
  };
}

function schedulerOf(
  answer: (
    nth: number,
    signal: AbortSignal,
    clock: Clock,
  ) => Promise<Exchange['outcome']> | Exchange['outcome'],
  options: Partial<SchedulerOptions> = {},
) {
  let nth = 0;
  const clock = createFakeClock();
  const client: Client = {
    redactor: createRedactor(),
    close: async () => undefined,
    send: async (target, signal, inspect) => {
      const id = ++nth;
      return inspect({
        id,
        endpoint: 'chains',
        origin: 'sent',
        method: 'GET',
        target: target.path,
        query: [],
        startedAtMs: 0,
        durationMs: 0,
        outcome: await answer(id, signal, clock),
      });
    },
  };
  const scheduler = createScheduler({
    client,
    concurrency: 4,
    onRateLimited: () => undefined,
    clock,
    ...options,
  });
  const get = () => scheduler.get(chains, (exchange) => exchange);
  return {
    scheduler,
    clock,
    get,
    times: (n: number) => Promise.allSettled(Array.from({ length: n }, get)),
  };
}

/** Serves the first twenty of each second. */
function twentyASecond() {
  let [windowEnd, inWindow] = [0, 0];
  return ({ now }: Clock) => {
    if (now() >= windowEnd) [windowEnd, inWindow] = [now() + 1_000, 0];
    return ++inWindow <= 20;
  };
}

describe('createScheduler', () => {
  test('many at once -> never more in flight than the concurrency', async () => {
    let [inFlight, most] = [0, 0];
    const { times } = schedulerOf(async (_, signal, clock) => {
      most = Math.max(most, ++inFlight);
      await sleep(clock, 2, signal);
      inFlight--;
      return reply(200);
    });
    await times(20);
    expect(most).toBe(4);
  });

  test('a rate -> kept to', async () => {
    const starts: number[] = [];
    const { times } = schedulerOf(
      (_, _signal, clock) => {
        starts.push(clock.now());
        return reply(200);
      },
      { rate: 100 },
    );
    await times(21);
    expect(starts).toEqual(Array.from({ length: 21 }, (_, at) => at * 10));
  });

  test('429 with retry-after -> waited out, sent again, never returned', async () => {
    const waits: number[] = [];
    const { get, scheduler, clock } = schedulerOf(
      (nth) => (nth === 1 ? reply(429, { 'retry-after': ['0.05'] }) : reply(200)),
      { onRateLimited: (waitMs) => waits.push(waitMs) },
    );
    expect((await get()).outcome).toMatchObject({ status: 200 });
    expect(clock.now()).toBe(50);
    expect([waits, scheduler.sent(), scheduler.rateLimited()]).toEqual([[50], 2, 1]);
  });

  test('429 for ever -> stopped, saying so', async () => {
    const { get } = schedulerOf(() => reply(429, { 'retry-after': ['0'] }));
    await expect(get()).rejects.toThrow(/limits the rate: 429 to 6 tries/);
  });

  test('429 to all but twenty a second -> waited out, however many are asked at once', async () => {
    const isServed = twentyASecond();
    const { times, scheduler } = schedulerOf(
      (_, _signal, clock) => reply(isServed(clock) ? 200 : 429, { 'retry-after': ['0'] }),
      { concurrency: 8 },
    );
    const results = await times(60);
    expect(results.filter(({ status }) => status === 'rejected')).toEqual([]);
    expect(scheduler.rateLimited()).toBeGreaterThan(0);
  });

  test('500 with retry-after -> waited out, sent again', async () => {
    const { get, scheduler, clock } = schedulerOf((nth) =>
      nth === 1 ? reply(500, { 'retry-after': ['0.05'] }) : reply(200),
    );
    expect((await get()).outcome).toMatchObject({ status: 200 });
    expect(clock.now()).toBe(50);
    expect([scheduler.sent(), scheduler.rateLimited()]).toEqual([2, 0]);
  });

  test.each([{}, { 'retry-after': ['0'] }, { 'retry-after': ['3600'] }])(
    '500 for ever, %j -> returned',
    async (headers) => {
      const { get } = schedulerOf(() => reply(500, headers));
      expect((await get()).outcome).toMatchObject({ status: 500 });
    },
  );

  test('one 500 in ten, by chance -> never returned, and little time is lost', async () => {
    const { times, scheduler, clock } = schedulerOf((nth) => reply(nth % 10 === 3 ? 500 : 200));
    const results = await times(500);
    const statuses = results.map((result) =>
      result.status === 'fulfilled' && result.value.outcome.kind === 'reply'
        ? result.value.outcome.status
        : 0,
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(scheduler.sent()).toBeGreaterThan(540);
    expect(clock.now()).toBeLessThan(1_000);
  });

  test('500 to all but twenty a second -> waited out', async () => {
    const isServed = twentyASecond();
    const { times } = schedulerOf((_, _signal, clock) => reply(isServed(clock) ? 200 : 500), {
      concurrency: 8,
    });
    const results = await times(90);
    const failed = results.filter(
      (result) =>
        result.status === 'rejected' ||
        result.value.outcome.kind !== 'reply' ||
        result.value.outcome.status !== 200,
    );
    expect(failed).toEqual([]);
  });

  test('a budget -> holds for what is asked again', async () => {
    const { get, scheduler } = schedulerOf(() => reply(500), { maxRequests: 2 });
    expect((await get()).outcome).toMatchObject({ status: 500 });
    expect(scheduler.sent()).toBe(2);
  });

  test('a retry-after of an hour -> stopped at once', async () => {
    const { get, scheduler } = schedulerOf(() => reply(429, { 'retry-after': ['3600'] }));
    await expect(get()).rejects.toThrow(/wait 3600 s/);
    expect(scheduler.sent()).toBe(1);
  });

  test('a budget -> that many are sent, the rest is refused', async () => {
    const { times, scheduler } = schedulerOf(() => reply(200), { maxRequests: 7 });
    const results = await times(10);
    expect(results.filter(({ status }) => status === 'fulfilled').length).toBe(7);
    expect(results.find((result) => result.status === 'rejected')?.reason).toBeInstanceOf(
      RunStopped,
    );
    expect(scheduler.sent()).toBe(7);
  });

  test('five without a reply in a row -> that operation is asked no more, others are', async () => {
    const { get, scheduler } = schedulerOf(() => ({
      kind: 'no-reply',
      cause: 'timeout',
      message: 'none',
    }));
    for (let i = 0; i < 5; i++) await get();
    await expect(get()).rejects.toThrow('/api/v1.0/chains did not answer 5 requests in a row');
    const swap = { path: '/api/v1.0/swap', query: [] };
    expect((await scheduler.get(swap, (each) => each)).outcome.kind).toBe('no-reply');
  });

  test('eight under way together without a reply -> one silence, and asked on', async () => {
    const { times, get } = schedulerOf(
      async (nth, signal, clock) => {
        await sleep(clock, 20, signal);
        return nth <= 8 ? { kind: 'no-reply', cause: 'timeout', message: 'none' } : reply(200);
      },
      { concurrency: 8 },
    );
    await times(8);
    expect((await get()).outcome).toMatchObject({ status: 200 });
  });

  test('stop -> what is in flight ends, what waits is refused with the reason', async () => {
    const { times, scheduler } = schedulerOf(
      (_, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () =>
            resolve({ kind: 'no-reply', cause: 'aborted', message: 'ended' }),
          );
        }),
    );
    const all = times(9);
    await new Promise(setImmediate);
    scheduler.stop('the user went home');
    const reasons = (await all).map((result) =>
      result.status === 'rejected' ? String(result.reason.message) : 'returned',
    );
    expect(reasons).toEqual(Array(9).fill('the user went home'));
  });
});
