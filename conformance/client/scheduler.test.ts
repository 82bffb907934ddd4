import { describe, expect, test } from 'vitest';
import { createClient } from './client.ts';
import { type Clock, sleep } from './clock.ts';
import { statusOf } from './exchange.ts';
import { createFakeClock } from './fake-clock.testing.ts';
import { inProcess, type Service, SILENCE } from './in-process.testing.ts';
import { type Limits, RunStopped, Scheduler } from './scheduler.ts';

type Asked = { readonly nth: number; readonly clock: Clock; readonly signal: AbortSignal };

function schedulerOf(answer: (asked: Asked) => ReturnType<Service>, limits: Limits = {}) {
  const clock = createFakeClock();
  let nth = 0;
  const transport = inProcess((_, { signal }) => answer({ nth: ++nth, clock, signal }));
  const client = createClient({ transport, clock });
  const scheduler = new Scheduler(client, { concurrency: 4, ...limits });
  const get = (path = '/api/v1.0/chains') => scheduler.get({ path, query: [] }).then(statusOf);
  return {
    scheduler,
    clock,
    get,
    /** Sends `n` concurrent requests, and counts their statuses or error messages. */
    times: async (n: number) => {
      const counts: Record<string, number> = {};
      for (const each of await Promise.allSettled(Array.from({ length: n }, () => get()))) {
        const key = String(each.status === 'fulfilled' ? each.value : each.reason.message);
        counts[key] = (counts[key] ?? 0) + 1;
      }
      return counts;
    },
  };
}

const retryAfter = (status: number, seconds: string) => ({
  status,
  headers: { 'retry-after': seconds },
});

function acceptTwentyPerSecond() {
  let [windowEnd, inWindow] = [0, 0];
  return ({ now }: Clock) => {
    if (now() >= windowEnd) [windowEnd, inWindow] = [now() + 1_000, 0];
    return ++inWindow <= 20;
  };
}

describe('Scheduler', () => {
  test('500 for more than four concurrent requests -> detected, and at most four are sent at once', async () => {
    let inFlight = 0;
    const { times } = schedulerOf(
      async ({ clock, signal }) => {
        const isShed = ++inFlight > 4;
        await sleep(clock, isShed ? 10 : 500, signal);
        inFlight--;
        return { status: isShed ? 500 : 200 };
      },
      { concurrency: 8 },
    );
    await times(200);
    expect(await times(200)).toEqual({ 200: 200 });
  });

  test('many at once -> never more in flight than the concurrency', async () => {
    let [inFlight, most] = [0, 0];
    const { times } = schedulerOf(async ({ clock, signal }) => {
      most = Math.max(most, ++inFlight);
      await sleep(clock, 2, signal);
      inFlight--;
      return {};
    });
    await times(20);
    expect(most).toBe(4);
  });

  test('a rate -> not exceeded', async () => {
    const starts: number[] = [];
    const { times } = schedulerOf(
      ({ clock }) => {
        starts.push(clock.now());
        return {};
      },
      { rate: 100 },
    );
    await times(21);
    expect(starts).toEqual(Array.from({ length: 21 }, (_, at) => at * 10));
  });

  test.each([429, 500, 503])('%d with retry-after -> repeated after the wait', async (status) => {
    const waits: number[] = [];
    const { get, scheduler, clock } = schedulerOf(({ nth }) =>
      nth === 1 ? retryAfter(status, '0.05') : {},
    );
    scheduler.onRateLimited = (waitMs) => waits.push(waitMs);
    expect([await get(), clock.now(), waits]).toEqual([200, 50, [50]]);
    expect([scheduler.sent, scheduler.rateLimited]).toEqual([2, status === 429 ? 1 : 0]);
  });

  test.each([
    ['retry-after', '0.05', 200],
    ['x-ratelimit-remaining', '0', 200],
    ['ratelimit-remaining', '0', 200],
    ['ratelimit', '"default";r=0;t=3', 200],
    ['x-ratelimit-remaining', '7', 403],
    ['ratelimit', 'r=10', 403],
    ['content-type', 'a/b', 403],
  ])('403 with %s: %j -> %d', async (name, value, expected) => {
    const { get, scheduler } = schedulerOf(({ nth }) =>
      nth === 1 ? { status: 403, headers: { [name]: value } } : {},
    );
    expect(await get()).toBe(expected);
    expect(scheduler.rateLimited).toBe(expected === 200 ? 1 : 0);
  });

  test('429 to every request -> stopped with a message', async () => {
    const { get } = schedulerOf(() => retryAfter(429, '0'));
    await expect(get()).rejects.toThrow(/limits the rate: 429 to 6 tries/);
  });

  test.each([{ status: 429 }, retryAfter(429, '1'), retryAfter(429, '3600')])(
    '%j for a wrong or missing key -> returned at once, since it depends on the key',
    async (rejection) => {
      const clock = createFakeClock();
      const transport = inProcess(({ searchParams }) =>
        searchParams.getAll('apiKey').join() === 'own' ? {} : rejection,
      );
      const client = createClient({ transport, apiKey: 'own', clock });
      const scheduler = new Scheduler(client, { concurrency: 1 });
      const path = '/api/v1.0/chains';
      for (const query of ['', 'apiKey=', 'apiKey=other', 'apiKey=own&apiKey=own']) {
        expect(await scheduler.get({ path, query, key: 'as-written' }).then(statusOf)).toBe(429);
      }
      expect(await scheduler.get({ path, query: [] }).then(statusOf)).toBe(200);
      expect([clock.now(), scheduler.rateLimited]).toEqual([0, 0]);
    },
  );

  test('429 for a while, whatever the key -> repeated after waits, even without a key', async () => {
    const { scheduler, clock } = schedulerOf(({ nth }) => (nth <= 2 ? { status: 429 } : {}));
    const target = { path: '/api/v1.0/chains', query: '', key: 'as-written' } as const;
    expect(await scheduler.get(target).then(statusOf)).toBe(200);
    expect([clock.now(), scheduler.rateLimited]).toEqual([500, 1]);
  });

  test('429 from the first request on -> stops the run within half a minute, and suggests that the key is wrong', async () => {
    const { get, scheduler, clock } = schedulerOf(() => ({ status: 429 }));
    await expect(get()).rejects.toThrow(/limits the rate/);
    await expect(get('/api/v1.0/tokens')).rejects.toThrow(/perhaps it rejects the key/);
    expect(scheduler.stopped).toContain('perhaps it rejects the key');
    expect(clock.now()).toBeLessThan(30_000);
  });

  test('429 from the first request on, with retry-after -> waits twice, then also stops the run', async () => {
    const { get, scheduler, clock } = schedulerOf(() => retryAfter(429, '30'));
    await expect(get()).rejects.toThrow(/429 to 3 tries/);
    expect(scheduler.stopped).toContain('perhaps it rejects the key');
    expect(clock.now()).toBe(60_000);
  });

  test('a retry-after of an hour -> stopped at once', async () => {
    const { get, scheduler } = schedulerOf(() => retryAfter(429, '3600'));
    await expect(get()).rejects.toThrow(/wait 3600 s/);
    expect(scheduler.sent).toBe(1);
  });

  test.each([{ status: 500 }, retryAfter(500, '0'), retryAfter(500, '3600')])(
    '%j to every request -> returned',
    async (answer) => {
      expect(await schedulerOf(() => answer).get()).toBe(500);
    },
  );

  test.each([429, 500, 503])(
    '%d for more than twenty requests a second -> repeated after waits, at any concurrency',
    async (status) => {
      const isServed = acceptTwentyPerSecond();
      const rejected = status === 429 ? retryAfter(429, '0') : { status };
      const { times, scheduler } = schedulerOf(({ clock }) => (isServed(clock) ? {} : rejected), {
        concurrency: 8,
      });
      expect(await times(90)).toEqual({ 200: 90 });
      expect(scheduler.sent).toBeGreaterThan(90);
    },
  );

  test.each([500, 503])(
    'one %d in ten replies -> never returned, and little time is lost',
    async (status) => {
      const { times, scheduler, clock } = schedulerOf(({ nth }) =>
        nth % 10 === 3 ? { status } : {},
      );
      expect(await times(500)).toEqual({ 200: 500 });
      expect(scheduler.sent).toBeGreaterThan(540);
      expect(clock.now()).toBeLessThan(1_000);
    },
  );

  test('501 for an unknown method -> not repeated', async () => {
    const { get, scheduler } = schedulerOf(() => ({ status: 501 }));
    expect([await get(), scheduler.sent]).toEqual([501, 1]);
  });

  test('a budget -> includes repeated requests', async () => {
    const { get, scheduler } = schedulerOf(() => ({ status: 500 }), { maxRequests: 2 });
    expect([await get(), scheduler.sent]).toEqual([500, 2]);
  });

  test('a budget -> only that number of requests is sent, and others are rejected', async () => {
    const { times, get, scheduler } = schedulerOf(() => ({}), { maxRequests: 7 });
    expect(await times(10)).toEqual({ 200: 7, 'the budget of 7 requests is spent': 3 });
    await expect(get()).rejects.toBeInstanceOf(RunStopped);
    expect(scheduler.sent).toBe(7);
  });

  test('a budget that the requests use up exactly -> not spent; one more request -> spent', async () => {
    const { times, scheduler } = schedulerOf(() => ({}), { maxRequests: 7 });
    await times(7);
    expect(scheduler.spent).toBeUndefined();
    await times(1);
    expect(scheduler.spent).toBe('the budget of 7 requests is spent');
  });

  test('a rate limit before any reply that outlasts the maximum wait -> requests in flight end too', async () => {
    const { clock, get, scheduler } = schedulerOf(async ({ nth, signal }) => {
      if (nth > 1) await sleep(clock, 1_000_000, signal);
      return retryAfter(429, '3600');
    });
    const all = await Promise.allSettled([get(), get('/api/v1.0/swap')]);
    const [first, second] = all.map((each) => (each as PromiseRejectedResult).reason.message);
    expect(first).toMatch(/^the service limits the rate: 429 .*; perhaps it rejects the key$/);
    expect(second).toBe(first);
    expect(scheduler.ending.reason).toBeInstanceOf(RunStopped);
    expect(clock.now()).toBeLessThan(100_000);
  });

  test.each([
    [new AbortController(), undefined, 'the run was interrupted'],
    [
      new AbortController(),
      "'npm start' ended with 1 before the run did",
      "'npm start' ended with",
    ],
    [new AbortController(), new Error('the budget of 5 s is spent'), 'the budget of 5 s is spent'],
  ] as const)('a signal that aborts -> the run stops for its reason', (controller, reason, why) => {
    const { scheduler } = schedulerOf(() => ({}));
    scheduler.stopOnAbort(controller.signal);
    controller.abort(reason);
    expect(scheduler.stopped).toContain(why);
  });

  test('five requests in a row without a reply -> no more requests to that operation; others continue', async () => {
    const { get } = schedulerOf(() => SILENCE);
    for (let i = 0; i < 5; i++) await get();
    await expect(get()).rejects.toThrow('/api/v1.0/chains did not respond to 5 requests in a row');
    expect(await get('/api/v1.0/swap')).toBeUndefined();
  });

  test('no replies to requests without the key -> no more such requests, but others continue', async () => {
    const transport = inProcess(({ searchParams }) =>
      searchParams.get('apiKey') === 'own' ? {} : SILENCE,
    );
    const client = createClient({ transport, apiKey: 'own', clock: createFakeClock() });
    const scheduler = new Scheduler(client, { concurrency: 1 });
    const keyless = (path: string) =>
      scheduler.get({ path, query: [], key: 'as-written' }).then(statusOf);
    for (let i = 0; i < 5; i++) await keyless('/api/v1.0/chains');
    await expect(keyless('/api/v1.0/swap')).rejects.toThrow(
      'the service, requested without its key, did not respond to 5 requests in a row',
    );
    expect(await scheduler.get({ path: '/api/v1.0/chains', query: [] }).then(statusOf)).toBe(200);
  });

  test('eight concurrent requests without a reply -> counted once, and requests continue', async () => {
    const { times, get } = schedulerOf(
      async ({ nth, clock, signal }) => {
        await sleep(clock, 20, signal);
        return nth <= 8 ? SILENCE : {};
      },
      { concurrency: 8 },
    );
    await times(8);
    expect(await get()).toBe(200);
  });

  test('stop -> requests in flight end, and waiting requests are rejected with the reason', async () => {
    const { times, scheduler } = schedulerOf(async ({ clock, signal }) => {
      await sleep(clock, 60_000, signal);
      return {};
    });
    const all = times(9);
    scheduler.stop('the user went home');
    expect(await all).toEqual({ 'the user went home': 9 });
  });
});
