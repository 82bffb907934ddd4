import { describe, expect, test } from 'vitest';
import { NAMED, request } from '../rule-kit/settlements.testing.ts';
import { describeTrade, maxSold, minBought, type TradeRequest, targetOf } from './trade-request.ts';

const bought: TradeRequest = {
  ...{ ...request, swapKind: 'exact-output', amount: 9n, slippageBps: 1 },
};

describe('targetOf', () => {
  test('exact output at the smallest tolerance -> a query in the notation of section 4.1', () => {
    expect(targetOf(bought).query).toEqual([
      ['chainId', '31337'],
      ['sellToken', NAMED.SELL],
      ['buyToken', NAMED.BUY],
      ['buyAmount', '9'],
      ['router', 'default-router'],
      ['includeCalldata', 'true'],
      ['userAddress', NAMED.user],
      ['slippageTolerance', '0.0001'],
    ]);
  });

  test('a chain whose plans require parameters -> they are sent, the router only once', () => {
    const requiredParameters = [
      ['router', 'service-router'],
      ['useRfq', 'true'],
    ] as const;
    const query = [...targetOf({ ...bought, requiredParameters }).query];
    expect(query.filter(([name]) => name === 'router')).toEqual([['router', 'default-router']]);
    expect(query.filter(([name]) => name === 'useRfq')).toEqual([['useRfq', 'true']]);
  });

  test('no tolerance -> no calldata requested', () => {
    const { query } = targetOf({ ...bought, slippageBps: undefined });
    expect(JSON.stringify(query)).not.toMatch(/includeCalldata|userAddress|slippage/);
  });

  test('market makers -> useRfq is true', () => {
    expect(targetOf({ ...bought, useRfq: true }).query).toContainEqual(['useRfq', 'true']);
  });
});

test('describeTrade -> the kind, the tokens, the router and the tolerance', () => {
  const text = 'exact-output "SELL" to "BUY" on default-router, tolerance 0.0001';
  expect(describeTrade(bought)).toBe(text);
});

test.each([
  ['exact-input', 50, 999n, 994n],
  ['exact-input', 10_000, 999n, 0n],
  ['exact-output', 50, 1_003n, 500n],
  ['exact-output', 10_000, 1_998n, 500n],
] as const)('%s, a quote of 999, %i bps -> sells at most %s, buys at least %s', (...row) => {
  const [swapKind, slippageBps, most, least] = row;
  const plan = { sell: { amount: 999n }, buy: { amount: 999n } };
  const trade = { ...request, swapKind, slippageBps, amount: 500n };
  expect([maxSold(trade, plan), minBought(trade, plan)]).toEqual([most, least]);
});
