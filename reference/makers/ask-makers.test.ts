import { describe, expect, test } from 'vitest';
import { loadEmbeddedMarkets } from '../market/embedded-markets.ts';
import type { Market } from '../market/market.ts';
import { MAKER_SOURCE } from '../pools/maker-order.ts';
import type { SwapKind } from '../routing/graph/plan.ts';
import { planRoute } from '../routing/plan-route.ts';
import { withQuotes } from './ask-makers.ts';
import { ANYONE } from './maker.ts';
import { testMakers } from './test-maker.ts';

const [market] = loadEmbeddedMarkets() as [Market];
const constraints = {
  sources: new Set([...market.pools.map(({ source }) => source), MAKER_SOURCE]),
  topology: 'graph' as const,
};
const addressOf = (symbol: string) => {
  const found = [...market.tokens.values()].find((token) => token.symbol === symbol);
  return found?.address ?? ANYONE;
};

/** What is sold and bought, with makers and without. */
async function planned(sell: string, buy: string, swapKind: SwapKind, amount: bigint) {
  const sides = { sellToken: addressOf(sell), buyToken: addressOf(buy) };
  const request = { ...sides, swapKind, amount };
  const quoted = await withQuotes(market, { ...request, taker: ANYONE }, testMakers(), () => {});
  expect(quoted.pools.length).toBe(market.pools.length + 3);
  return [quoted, market].map((each) => {
    const plan = planRoute(each, { ...request, constraints });
    if (plan.kind !== 'plan') throw new Error(plan.reason);
    return plan;
  });
}

describe('orders that are filled to their end', () => {
  test.each([
    ['WETH', 'TICKET', 32n * 10n ** 18n],
    ['WETH', 'USDC', 32n * 10n ** 18n],
    ['USDC', 'WETH', 100_000n * 10n ** 6n],
  ])('exact input, %s to %s -> no less is bought than without them', async (sell, buy, amount) => {
    const [plan, without] = await planned(sell, buy, 'exact-input', amount);
    expect(plan?.swaps.filter(({ pool }) => pool.source === MAKER_SOURCE)).toHaveLength(3);
    expect(plan?.buyAmount).toBeGreaterThan(without?.buyAmount ?? 0n);
  });

  test.each([
    ['WETH', 'TICKET', 19_248n],
    ['USDC', 'TICKET', 19_000n],
    ['USDC', 'WETH', 32n * 10n ** 18n],
  ])('exact output, %s to %s -> no more is sold than without them', async (sell, buy, amount) => {
    const [plan, without] = await planned(sell, buy, 'exact-output', amount);
    expect(plan?.swaps.filter(({ pool }) => pool.source === MAKER_SOURCE)).toHaveLength(3);
    expect(plan?.sellAmount).toBeLessThan(without?.sellAmount ?? 0n);
  });
});
