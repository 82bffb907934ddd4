import { expect, test } from 'vitest';
import type { Loose } from '../../model/breaks.ts';
import { USD } from '../../model/golden-addresses.ts';
import { brokenReply, linesOf, verdictOn } from '../../rule-kit/broken-replies.testing.ts';
import { rules } from './replies.ts';

const rule = rules.find(({ id }) => id === 'swap/usd-values-agree');

const tradeAtOneUsd =
  (sold: string, bought: string, change: (b: Loose) => void = () => {}) =>
  (b: Loose) => {
    b.tokens = [b.tokens[0], b.tokens[3]];
    for (const token of b.tokens) Object.assign(token, { usdPrice: 1, decimals: 3 });
    b.sell.amount = sold;
    b.buy.amount = bought;
    b.routes = [{ ...b.routes[0], fromTokens: [b.sell], toTokens: [b.buy] }];
    change(b);
  };
const priced = (bought: number, decimals: number) => (b: Loose) => {
  for (const token of b.tokens) token.decimals = decimals;
  b.tokens[1].usdPrice = bought;
};
const throughCoarseToken = (usdPrice: number) => (b: Loose) => {
  priced(0.9, 3)(b);
  const between = { ...b.tokens[0], address: USD, referenceId: 99, usdPrice, decimals: 0 };
  b.tokens.push(between);
  const leg = { referenceId: between.referenceId, amount: '1' };
  b.routes = [
    { ...b.routes[0], toTokens: [leg] },
    { ...b.routes[0], fromTokens: [leg] },
  ];
};

const judge = (change: (b: Loose) => unknown) =>
  verdictOn(rule, brokenReply('swap', change, { facts: 'none' }));

test.each([
  ['a tenth', tradeAtOneUsd('10000', '1000')],
  ['more than 10 USD sold', tradeAtOneUsd('10001', '1000')],
  ['ten times as much', tradeAtOneUsd('10000', '100000')],
  ['the smallest amounts judged', tradeAtOneUsd('1000', '1000')],
  ['rounding of a coarse token', tradeAtOneUsd('10000', '1000', throughCoarseToken(0.51))],
  ['less than a cent sold', tradeAtOneUsd('9999', '1000', priced(0.9, 6))],
])('%s -> no fault', (_what, change) => {
  expect(judge(change)?.findings).toEqual([]);
});

test.each([
  ['100 USD', tradeAtOneUsd('10000', '100001')],
  ['0.9 USD', tradeAtOneUsd('10000', '1000', priced(0.9, 3))],
  ['0.9 USD', tradeAtOneUsd('10000', '1000', throughCoarseToken(0.49))],
  ['0.0009 USD', tradeAtOneUsd('10000', '1000', priced(0.9, 6))],
])('%s bought -> a fault', (usd, change) => {
  expect(linesOf(judge(change))).toEqual([`at /buy/amount: ${usd} bought`]);
});

test.each([
  ['fewer than a thousand base units bought', tradeAtOneUsd('10000', '999')],
  ['fewer than a thousand base units sold', tradeAtOneUsd('999', '1000')],
  ['a price of zero', tradeAtOneUsd('10000', '1000', priced(0, 3))],
  ['a negative price', tradeAtOneUsd('10000', '1000', priced(-1, 3))],
  [
    'no price of the sold token',
    tradeAtOneUsd('10000', '1000', (b) => delete b.tokens[0].usdPrice),
  ],
  [
    'no price of the bought token',
    tradeAtOneUsd('10000', '1000', (b) => delete b.tokens[1].usdPrice),
  ],
  ['malformed decimals', tradeAtOneUsd('10000', '1000', (b) => (b.tokens[1].decimals = '3'))],
])('%s -> not judged', (_what, change) => {
  expect(judge(change)).toBeUndefined();
});
