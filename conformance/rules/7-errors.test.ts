import { expect, test } from 'vitest';
import { tradesOf } from '../generate/trades.ts';
import { modelFacts } from '../model/model-market.testing.ts';
import { type Asked, modelSession } from '../model/model-service.testing.ts';
import type { ProbeRule } from '../model/rule.ts';
import { testProbes } from '../rule-kit/probes.testing.ts';
import { answer, where } from '../rule-kit/sabotage.testing.ts';
import { rules } from './7-errors.ts';

const [trade] = tradesOf(modelFacts);
if (trade === undefined) throw new Error('the model has no trade');
const isMalformed = ({ raw }: Pick<Asked, 'raw'>) => /%(?![0-9A-F]{2})|%C3%28/.test(raw ?? '');
const malformed = rules.find(({ id }) => id === 'endpoint/malformed-query') as ProbeRule;
const untold = { 'could not run': 'unknown untraded' };

testProbes(rules, {
  'endpoint/malformed-query': {
    'could not run': 'unknown untraded silent large',
    fails: '404 501 500 401 200',
    cases: [
      [where(isMalformed, answer(500)), 'fails'],
      [where(isMalformed, answer(200, {})), 'fails'],
      [where(isMalformed, answer(400, '<h1>Bad Request</h1>')), 'fails'],
      [where(isMalformed, () => 'no reply'), 'could-not-run'],
    ],
  },
  'error/missing-parameter-observed': {
    ...untold,
    asks: ['swap -chainId', 'swap -sellToken', 'swap -buyToken', 'swap -sellAmount'],
  },
  'error/both-amounts-observed': { ...untold, asks: ['swap buyAmount=1'] },
  'error/unknown-chain-observed': {
    asks: ['chainInfo', 'tokens', 'swap'].map((operation) => `${operation} chainId=987654321987`),
  },
  'error/unsupported-pair-observed': {
    ...untold,
    asks: [
      'swap buyToken=0x5*40',
      'swap buyToken=0x0*40',
      `swap sellAmount=${1n << 200n}`,
      `swap -sellAmount buyAmount=${1n << 200n}`,
    ],
  },
});

test('each required parameter is broken as bytes', async () => {
  const session = modelSession();
  await malformed.run(session);
  const sent = session.sent.map(({ query }) => String(query));
  for (const name of [
    'chainId',
    'sellToken',
    'buyToken',
    'sellAmount',
    'buyAmount',
    'userAddress',
  ]) {
    for (const text of ['%ZZ', '%', '%C3%28']) {
      expect(sent.some((query) => query.split('&').includes(`${name}=${text}`))).toBe(true);
    }
  }
  expect(sent.every((raw) => isMalformed({ raw }))).toBe(true);
});

test('a service that falls silent -> is asked for something whole each time', async () => {
  const session = modelSession(where(isMalformed, () => 'no reply'));
  await malformed.run(session);
  const broken = session.sent.filter(({ query }) => isMalformed({ raw: String(query) }));
  expect(broken).toHaveLength(session.sent.length / 2);
});

test('a pair that discovery saw refused -> is asked for again, one of each chain', async () => {
  const [sell, buy] = [trade.pair.sell, { ...trade.pair.buy, symbol: 'NONE' }];
  const market = {
    ...trade.market,
    refusedPairs: [
      [sell, buy],
      [buy, sell],
    ] as const,
  };
  const session = modelSession(undefined, { markets: new Map([[31337, market]]) });
  const rule = rules.find(({ id }) => id === 'error/unsupported-pair-observed') as ProbeRule;
  expect(await rule.run(session)).toMatchObject({
    observed: expect.stringMatching(/; "[A-Z]+" to "NONE": 200$/),
  });
});
