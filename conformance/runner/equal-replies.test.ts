import { describe, expect, test } from 'vitest';
import { exchangeWith } from '../client/exchange.testing.ts';
import type { Service } from '../client/in-process.testing.ts';
import { PATHS } from '../contract/paths.ts';
import { CATALOG } from '../rules/catalog.ts';
import { EqualReplies } from './equal-replies.ts';
import { judgeService, NO_TRAFFIC } from './judge-service.testing.ts';
import { tinyAnswer, tinyPlan } from './tiny-service.testing.ts';

const [usd, wrapped] = [`0x${'1a'.repeat(20)}`, `0x${'2b'.repeat(20)}`];
const plain = { chainId: '7', sellToken: usd, buyToken: wrapped, sellAmount: '1000000' };
const encoded = { ...plain, includeCalldata: 'true', userAddress: usd, slippageTolerance: '0.01' };
const plan = { ...tinyPlan('1000000'), calldata: `0x12345678${'0'.repeat(64)}` };

/** Returns the earlier request to which the second of two equal replies belongs. */
function ignoredBetween(
  one: Readonly<Record<string, string>>,
  other: Readonly<Record<string, string>>,
  { clause = '2.1 calldata', body = plan, second = plan, status = 200 } = {},
) {
  const replies = new EqualReplies();
  for (const [index, query] of [one, other].entries()) {
    const given = { id: index + 1, query: Object.entries(query), status };
    replies.add(exchangeWith(index === 0 ? body : second, given));
  }
  return replies.find(2, clause)?.ignored;
}

describe('EqualReplies', () => {
  test.each<[Readonly<Record<string, string>>, Readonly<Record<string, string>>, string[]]>([
    [plain, { ...plain, sellAmount: '2000000' }, ['sellAmount']],
    [plain, { ...plain, chainId: '8' }, ['chainId']],
    [plain, { ...plain, buyToken: `0x${'3c'.repeat(20)}` }, ['buyToken']],
    [plain, { ...plain, router: 'universal-router' }, ['router']],
    [encoded, { ...encoded, recipientAddress: wrapped }, ['recipientAddress']],
    [encoded, { ...encoded, slippageTolerance: '0.02' }, ['slippageTolerance']],
    [
      encoded,
      { ...encoded, recipientAddress: wrapped, useRfq: 'true' },
      ['useRfq', 'recipientAddress'],
    ],
  ])('%j and %j -> names what the reply ignores', (one, other, ignored) => {
    expect(ignoredBetween(one, other)).toEqual(ignored);
  });

  test.each<[string, Readonly<Record<string, string>>, Readonly<Record<string, string>>]>([
    ['the same request', plain, plain],
    [
      'letter case and notation',
      plain,
      { ...plain, sellToken: usd.toUpperCase().replace('X', 'x') },
    ],
    [
      'aliases of ETH',
      { ...plain, sellToken: `0x${'0'.repeat(40)}` },
      { ...plain, sellToken: `0x${'e'.repeat(40)}` },
    ],
    ['market makers', plain, { ...plain, useRfq: 'true' }],
    ['parameters of calldata, without calldata', plain, { ...plain, slippageTolerance: '0.5' }],
    ['the default router', plain, { ...plain, router: 'default-router' }],
    ['two users', encoded, { ...encoded, userAddress: wrapped, recipientAddress: usd }],
    ['the user as recipient', encoded, { ...encoded, recipientAddress: usd }],
    ['notations of a tolerance', encoded, { ...encoded, slippageTolerance: '0.0100' }],
    ['entirely different trades', plain, { ...plain, chainId: '8', sellAmount: '5' }],
  ])('%s -> nothing', (_, one, other) => {
    expect(ignoredBetween(one, other)).toBeUndefined();
  });

  test('plans with and without market makers, for a rule on `useRfq` -> named', () => {
    const other = { ...plain, useRfq: 'true' };
    expect(ignoredBetween(plain, other, { clause: '4.1 useRfq' })).toEqual(['useRfq']);
  });

  test('a tolerance too small to change the limit, an error, another body -> nothing', () => {
    const other = { ...encoded, slippageTolerance: '0.02' };
    const dust = { ...plan, ...tinyPlan('1'), calldata: plan.calldata };
    expect(ignoredBetween(encoded, other, { body: dust, second: dust })).toBeUndefined();
    expect(ignoredBetween(encoded, other, { status: 400 })).toBeUndefined();
    const another = { ...plan, calldata: '0x1234567890' };
    expect(ignoredBetween(encoded, other, { second: another })).toBeUndefined();
  });

  test('only the calldata is the same -> its request', () => {
    const replies = new EqualReplies();
    const second = { ...encoded, recipientAddress: wrapped };
    replies.add(exchangeWith(plan, { id: 1, target: '/first', query: Object.entries(encoded) }));
    replies.add(
      exchangeWith({ ...plan, aggregator: 'b' }, { id: 2, query: Object.entries(second) }),
    );
    expect(replies.find(2, '2.1 calldata')).toEqual({
      ...{ part: 'calldata', exchange: 1, target: '/first', ignored: ['recipientAddress'] },
    });
    expect(replies.find(1, '2.1 calldata')).toBeUndefined();
  });
});

test('a cache whose key lacks the amount -> failures name the request whose reply they got', async () => {
  const cached = new Map<string, ReturnType<typeof tinyAnswer>>();
  const service: Service = (url) => {
    const key = new URL(url);
    key.searchParams.delete('sellAmount');
    const known = cached.get(key.href) ?? tinyAnswer(url);
    if (url.pathname === PATHS.swap) cached.set(key.href, known);
    return known;
  };
  const rules = CATALOG.filter(({ id }) => id === 'swap/sell-amount-echoed');
  const [sell, buy] = [wrapped, usd];
  const swap = (sellAmount: string) => ({
    path: PATHS.swap,
    query: Object.entries({ chainId: '7', sellToken: sell, buyToken: buy, sellAmount }),
  });
  const { report } = await judgeService(service, {
    rules,
    generator: { ...NO_TRAFFIC, traffic: () => [swap('1000'), swap('1003')] },
    concurrency: 1,
  });
  const [failure] = report.rules[0]?.failures ?? [];
  expect(failure?.belongsTo).toMatchObject({ part: 'reply', ignored: ['sellAmount'] });
  expect(failure?.belongsTo?.target).toMatch(/sellAmount=\d+.*apiKey=\$SWAPCHECK_API_KEY/);
});
