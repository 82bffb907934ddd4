import { expect, test } from 'vitest';
import type { Service } from '../client/in-process.testing.ts';
import { PATHS } from '../contract/paths.ts';
import { CATALOG } from '../rules/catalog.ts';
import { judgeService, NO_TRAFFIC } from './judge-service.testing.ts';
import type { RunOptions } from './run-options.ts';
import { TINY_BODIES, tinyAnswer } from './tiny-service.testing.ts';

const [{ address: usd }, { address: wrapped }] = TINY_BODIES.tokens;
const swap = (sellAmount: string) => ({
  path: PATHS.swap,
  query: Object.entries({ chainId: '7', sellToken: wrapped, buyToken: usd, sellAmount }),
});
const rules = CATALOG.filter(({ id }) => id === 'swap/sell-amount-echoed');
const wrong = (url: URL) => {
  const other = new URL(url);
  other.searchParams.set('sellAmount', '77');
  return tinyAnswer(other);
};

async function judge(service: Service, options: Partial<RunOptions> = {}) {
  const traffic = () => [swap('1000000'), swap('1000003')];
  const { report } = await judgeService(service, {
    ...{ rules, concurrency: 1, ...options },
    generator: { ...NO_TRAFFIC, traffic },
  });
  return { report, failure: report.rules[0]?.failures[0] };
}

test('a request that fails whenever it is sent -> fails alone', async () => {
  const { failure } = await judge((url) => wrong(url));
  expect(failure?.repeat).toMatchObject({ outcome: 'fails', sent: 1, failed: 1 });
  expect(failure?.repeat?.requests).toEqual([failure?.exchange.target]);
});

test('a cache whose key lacks the amount -> the two requests that fail in order, and their commands', async () => {
  const cached = new Map<string, ReturnType<typeof tinyAnswer>>();
  const { failure } = await judge((url) => {
    if (url.pathname !== PATHS.swap) return tinyAnswer(url);
    // Pairs and amounts of one size share an entry.
    const amount = url.searchParams.get('sellAmount') ?? '';
    const key = `${url.searchParams.get('sellToken')} ${amount.length} ${amount.slice(0, 3)}`;
    const reply = cached.get(key) ?? tinyAnswer(url);
    cached.set(key, reply);
    return reply;
  });
  expect(failure?.belongsTo?.ignored).toEqual(['sellAmount']);
  expect(failure?.repeat).toMatchObject({ outcome: 'fails-after-another', sent: 2, failed: 1 });
  const [first, second, ...more] = failure?.repeat?.requests ?? [];
  expect(more).toEqual([]);
  expect(first).not.toBe(second);
  expect(failure?.curl).toMatch(/^curl .* && curl /);
});

test('a cache that ignores amounts altogether -> fails again, with both requests in order', async () => {
  const cached = new Map<string, ReturnType<typeof tinyAnswer>>();
  const { failure } = await judge((url) => {
    if (url.pathname !== PATHS.swap) return tinyAnswer(url);
    const key = new URL(url);
    key.searchParams.delete('sellAmount');
    const reply = cached.get(key.search) ?? tinyAnswer(url);
    cached.set(key.search, reply);
    return reply;
  });
  expect(failure?.repeat).toMatchObject({ outcome: 'fails', sent: 2, failed: 1 });
  expect(failure?.repeat?.requests).toEqual([failure?.belongsTo?.target, failure?.exchange.target]);
});

test('a failure that does not occur again -> intermittent', async () => {
  let failed = 0;
  const { failure } = await judge((url) => {
    const isWrong = url.searchParams.get('sellAmount') === '1000003' && failed++ === 0;
    return isWrong ? wrong(url) : tinyAnswer(url);
  });
  expect(failure?.repeat).toMatchObject({ outcome: 'intermittent', sent: 3, failed: 0 });
});

test('a budget that is spent -> nothing is repeated', async () => {
  const whole = await judge((url) => wrong(url));
  const { failure, report } = await judge((url) => wrong(url), {
    maxRequests: whole.report.requests - 1,
  });
  expect(failure).toBeDefined();
  expect(failure?.repeat).toBeUndefined();
  expect(report.requests).toBeLessThan(whole.report.requests);
});
