import { expect, test } from 'vitest';
import { createFakeClock } from '../client/fake-clock.testing.ts';
import { type Answer, inProcess, type Service, SILENCE } from '../client/in-process.testing.ts';
import { RunStopped } from '../client/scheduler.ts';
import { modelSession } from '../model/model-service.testing.ts';
import { discover } from './discover.ts';
import { openService, UnusableService } from './open-service.ts';

const KEY = 'k3y-to-hide-0815';

function open(service: Service, signal?: AbortSignal) {
  const [clock, waits] = [createFakeClock(), [] as number[]];
  const onRateLimited = (waitMs: number) => waits.push(waitMs);
  const transport = inProcess(service);
  return {
    clock,
    waits,
    ...openService({ apiKey: KEY, transport, clock, onRateLimited, signal }),
  };
}

function rateLimitedModelService(perSecond: number, clock: () => number): Service {
  const { get } = modelSession();
  const windows = new Map<number, number>();
  return async (url) => {
    const second = Math.floor(clock() / 1000);
    const used = (windows.get(second) ?? 0) + 1;
    windows.set(second, used);
    if (used > perSecond) return { status: 429, headers: { 'retry-after': '1' } };
    const query = [...url.searchParams].filter(([name]) => name !== 'apiKey');
    const { outcome } = await get({ path: url.pathname, query });
    if (outcome.kind !== 'reply') throw new Error('the model always replies');
    return { status: outcome.status, body: outcome.text };
  };
}

test('a service that accepts twenty requests a second -> discovered completely, after waits', async () => {
  const service = open((url, request) => behindLimit(url, request));
  const behindLimit = rateLimitedModelService(20, () => service.clock.now());
  await service.requestChains();
  const facts = await discover({ get: service.get, chains: [] });
  const unlimited = await discover({
    get: open(rateLimitedModelService(1e9, () => 0)).get,
    chains: [],
  });
  expect([...facts.markets.values()]).toEqual([...unlimited.markets.values()]);
  expect(facts.markets.size).toBeGreaterThan(0);
  expect(service.waits.length).toBeGreaterThan(0);
  const { rateLimited, sent } = service.scheduler;
  expect(rateLimited).toBeGreaterThan(0);
  // Far fewer rejections than accepted requests.
  expect(rateLimited).toBeLessThan(sent / 2);
});

test('429 for every request -> discovery fails with the reason, and does not return empty facts', async () => {
  const { get } = open(() => ({ status: 429 }));
  await expect(discover({ get, chains: [] })).rejects.toThrow(RunStopped);
  await expect(discover({ get, chains: [] })).rejects.toThrow(/limits the rate: 429/);
});

test.each<[answer: Answer | typeof SILENCE, message: string]>([
  [SILENCE, 'none in time'],
  [{ status: 404, body: '' }, 'it replied to /chains with 404'],
  [{ status: 403, body: `no ${KEY}` }, 'it replied to /chains with 403: no $SWAPCHECK_API_KEY'],
  [
    { status: 301, headers: { location: `/x?apiKey=${KEY}` }, body: '' },
    'it replied to /chains with 301, a redirect to /x?apiKey=$SWAPCHECK_API_KEY',
  ],
])('%j to /chains -> unusable: %s', async (answer, message) => {
  await expect(open(() => answer).requestChains()).rejects.toThrow(new UnusableService(message));
});

test('the signal aborts -> no further request', async () => {
  const controller = new AbortController();
  const { get, scheduler } = open(() => ({}), controller.signal);
  controller.abort();
  await expect(get({ path: '/api/v1.0/chains', query: [] })).rejects.toThrow(
    'the run was interrupted',
  );
  expect(scheduler.sent).toBe(0);
});
