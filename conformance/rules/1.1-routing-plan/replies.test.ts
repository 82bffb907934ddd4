import { expect, test } from 'vitest';
import { given, goldenSwap, type Loose, USD } from '../../model/golden-replies.testing.ts';
import { expectOf, on, right, testReplies, verdictOn } from '../../rule-kit/replies.testing.ts';
import { rules } from './replies.ts';

const everyRouteOffPath = [0, 1, 2].map((index) => `plan/routes-on-path at /routes/${index}`);
const backwards = (route: Loose) => ({
  ...route,
  fromTokens: route.toTokens,
  toTokens: route.fromTokens,
});
const ends = (from: number, to: number) => ({
  fromTokens: [{ referenceId: from, amount: '5' }],
  toTokens: [{ referenceId: to, amount: '5' }],
});

testReplies(
  rules,
  on('swap', [
    [(b) => delete b.sell.amount, 'nothing applies'],
    [(b) => delete b.routes[0].toTokens, 'nothing applies'],
    [
      (b) => (b.routes = []),
      'plan/sell-reaches-buy at /routes',
      'plan/conserves-sell at /sell/amount',
      'plan/conserves-buy at /buy/amount',
    ],
    [
      (b) => (b.sell.referenceId = 12),
      'plan/sell-reaches-buy at /routes: none',
      ...everyRouteOffPath,
      'plan/conserves-sell at /sell/amount',
      'plan/conserves-between at /tokens/0',
    ],
    [
      (b) => (b.routes[0].fromTokens = []),
      'plan/sell-reaches-buy at /routes',
      ...everyRouteOffPath,
      'plan/conserves-between at /tokens/2',
    ],
    [
      (b) => {
        b.routes[2].fromTokens[0].referenceId = 55;
        b.routes[1].toTokens[0].referenceId = 56;
      },
      'plan/sell-reaches-buy at /routes',
      ...everyRouteOffPath,
      'plan/conserves-between at /routes',
      'plan/conserves-between at /routes',
    ],
    [
      (b) => b.routes.splice(1, 1),
      'plan/sell-reaches-buy at /routes',
      'plan/routes-on-path at /routes/0',
      'plan/routes-on-path at /routes/1',
      'plan/conserves-sell at /sell/amount: they spend 0',
      'plan/conserves-between at /tokens/1',
    ],
    [
      (b) => (b.routes[1].fromTokens[0].amount = '9999999999999999999999'),
      'plan/conserves-sell at /sell/amount',
    ],
    [
      (b) => (b.sell.amount = '10000000000000000000001'),
      'plan/conserves-sell at /sell/amount: they spend 10000000000000000000000',
    ],
    right('/buy/amount', '1034955025987043448358'),
    [(b) => (b.buy.amount = '1034955025987043448359'), 'plan/conserves-buy at /buy/amount'],
    [(b) => (b.routes[1].toTokens[0].amount = '9980434364'), 'plan/conserves-between at /tokens/1'],
    [
      (b) => (b.routes[1].toTokens[0].amount = String(1n << 256n)),
      'plan/conserves-between at /tokens/1',
    ],
    [
      (b) => (b.routes[2].fromTokens[0].amount = '0'),
      'plan/conserves-between at /tokens/1: 0 flows out',
    ],
    [
      (b) => b.routes.push({ ...b.routes[1], fromTokens: b.routes[1].toTokens }),
      'plan/no-self-loop at /routes/3',
    ],
    [
      (b) => b.routes.push(backwards(b.routes[1])),
      'plan/acyclic at /routes: a cycle of 2 tokens: 1 -> 7 -> 1',
      'plan/nothing-into-sell at /routes/3',
      'plan/conserves-sell at /sell/amount',
      'plan/conserves-between at /tokens/1',
    ],
    [
      (b) => b.routes.push(backwards(b.routes[0])),
      'plan/acyclic at /routes',
      'plan/nothing-out-of-buy at /routes/3',
      'plan/conserves-buy at /buy/amount',
      'plan/conserves-between at /tokens/2',
    ],
    [
      (b) => b.routes.push(backwards(b.routes[2])),
      'plan/acyclic at /routes',
      'plan/conserves-between at /tokens/1',
      'plan/conserves-between at /tokens/2',
    ],
    [
      (b) => b.routes.push({ ...b.routes[0], ...ends(600, 98) }),
      'plan/nothing-out-of-buy at /routes/3',
      'plan/routes-on-path at /routes/3',
      'plan/conserves-buy at /buy/amount',
      'plan/conserves-between at /routes',
    ],
    [
      (b) =>
        b.routes.push(...[ends(98, 99), ends(99, 98)].map((at) => ({ ...b.routes[0], ...at }))),
      'plan/acyclic at /routes: a cycle of 2 tokens: 98 -> 99 -> 98',
      'plan/routes-on-path at /routes/3',
      'plan/routes-on-path at /routes/4',
    ],
  ]),
);

test('dust between the hops -> reported with its size, and fails where none is tolerated', () => {
  const between = rules.find(({ id }) => id === 'plan/conserves-between');
  const { dust } = verdictOn(between, given(goldenSwap())) ?? {};
  expect(dust).toEqual({
    baseUnits: 73n,
    partsPerMillion: 0.007314325,
    token: USD,
    symbol: 'USD',
    decimals: 6,
  });
  const strict = given(goldenSwap(), { tolerancePpm: 0 });
  expectOf(rules, strict, [
    'plan/conserves-between at /tokens/1',
    'plan/conserves-between at /tokens/2',
  ]);
});
