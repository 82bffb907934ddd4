import { describe, expect, test } from 'vitest';
import type { Client } from '../client/client.ts';
import type { Exchange } from '../client/exchange.ts';
import { createRedactor } from '../client/redaction.ts';
import { RunStopped } from '../model/session.ts';
import { createScheduler, type SchedulerOptions } from './scheduler.ts';

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
  answer: (nth: number, signal: AbortSignal) => Promise<Exchange['outcome']> | Exchange['outcome'],
  options: Partial<SchedulerOptions> = {},
) {
  let nth = 0;
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
        outcome: await answer(id, signal),
      });
    },
  };
  const scheduler = createScheduler({
    client,
    concurrency: 4,
    rate: undefined,
    maxRequests: undefined,
    onRateLimited: () => undefined,
    ...options,
  });
  const get = () => scheduler.get(chains, (exchange) => exchange);
  return {
    scheduler,
    get,
    times: (n: number) => Promise.allSettled(Array.from({ length: n }, get)),
  };
}

describe('createScheduler', () => {
  test('many at once -> never more in flight than the concurrency', async () => {
    let [inFlight, most] = [0, 0];
    const { times } = schedulerOf(async () => {
      most = Math.max(most, ++inFlight);
      await new Promise((resolve) => setTimeout(resolve, 2));
      inFlight--;
      return reply(200);
    });
    await times(20);
    expect(most).toBe(4);
  });

  test('a rate -> kept to', async () => {
    const starts: number[] = [];
    const { times } = schedulerOf(
      () => {
        starts.push(performance.now());
        return reply(200);
      },
      { rate: 100 },
    );
    await times(21);
    expect((starts.at(-1) ?? 0) - (starts[0] ?? 0)).toBeGreaterThan(190);
  });

  test('429 with retry-after -> waited out, sent again, never returned', async () => {
    const waits: number[] = [];
    const { get, scheduler } = schedulerOf(
      (nth) => (nth === 1 ? reply(429, { 'retry-after': ['0.05'] }) : reply(200)),
      { onRateLimited: (waitMs) => waits.push(waitMs) },
    );
    const start = performance.now();
    expect((await get()).outcome).toMatchObject({ status: 200 });
    expect(performance.now() - start).toBeGreaterThan(45);
    expect([waits, scheduler.sent(), scheduler.rateLimited()]).toEqual([[50], 2, 1]);
  });

  test('429 for ever -> stopped, saying so', async () => {
    const { get } = schedulerOf(() => reply(429, { 'retry-after': ['0'] }));
    await expect(get()).rejects.toThrow(/limits the rate: 429 to 6 tries/);
  });

  test('429 to all but twenty a second -> waited out, however many are asked at once', async () => {
    let windowEnd = 0;
    let inWindow = 0;
    const { times, scheduler } = schedulerOf(
      () => {
        const now = performance.now();
        if (now >= windowEnd) [windowEnd, inWindow] = [now + 1_000, 0];
        return reply(++inWindow <= 20 ? 200 : 429, { 'retry-after': ['0'] });
      },
      { concurrency: 8 },
    );
    const results = await times(60);
    expect(results.filter(({ status }) => status === 'rejected')).toEqual([]);
    expect(scheduler.rateLimited()).toBeGreaterThan(0);
  });

  test('500 with retry-after -> waited out, sent again', async () => {
    const { get, scheduler } = schedulerOf((nth) =>
      nth === 1 ? reply(500, { 'retry-after': ['0.05'] }) : reply(200),
    );
    const start = performance.now();
    expect((await get()).outcome).toMatchObject({ status: 200 });
    expect(performance.now() - start).toBeGreaterThan(45);
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
    const { times, scheduler } = schedulerOf((nth) => reply(nth % 10 === 3 ? 500 : 200));
    const start = performance.now();
    const results = await times(500);
    const statuses = results.map((result) =>
      result.status === 'fulfilled' && result.value.outcome.kind === 'reply'
        ? result.value.outcome.status
        : 0,
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(scheduler.sent()).toBeGreaterThan(540);
    expect(performance.now() - start).toBeLessThan(3_000);
  });

  test('500 to all but twenty a second -> waited out', async () => {
    let windowEnd = 0;
    let inWindow = 0;
    const { times } = schedulerOf(
      () => {
        const now = performance.now();
        if (now >= windowEnd) [windowEnd, inWindow] = [now + 1_000, 0];
        return reply(++inWindow <= 20 ? 200 : 500);
      },
      { concurrency: 8 },
    );
    const results = await times(90);
    const failed = results.filter(
      (result) =>
        result.status === 'rejected' ||
        result.value.outcome.kind !== 'reply' ||
        result.value.outcome.status !== 200,
    );
    expect(failed).toEqual([]);
  }, 40_000);

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
      async (nth) => {
        await new Promise((resolve) => setTimeout(resolve, 20));
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
    await new Promise((resolve) => setTimeout(resolve, 5));
    scheduler.stop('the user went home');
    const reasons = (await all).map((result) =>
      result.status === 'rejected' ? String(result.reason.message) : 'returned',
    );
    expect(reasons).toEqual(Array(9).fill('the user went home'));
  });
});
