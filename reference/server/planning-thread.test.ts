import { afterAll, describe, expect, test } from 'vitest';
import { withQuotes } from '../makers/request-quotes.ts';
import { testMakers } from '../makers/test-maker.ts';
import { loadEmbeddedMarkets } from '../market/embedded-markets.ts';
import type { Market } from '../market/market.ts';
import type { RoutingRequest } from '../planner/graph/plan.ts';
import { createPlanner } from '../planner/planner.ts';
import { startPlanningThread } from './planning-thread.ts';

const [market] = loadEmbeddedMarkets() as [Market];
const thread = startPlanningThread();
afterAll(() => thread.close());

const tokenOf = (symbol: string) =>
  [...market.tokens.values()].find((token) => token.symbol === symbol)?.address ?? market.usdToken;
const sources = new Set(market.pools.map(({ source }) => source));
const sale: RoutingRequest = {
  swapKind: 'exact-input',
  amount: 3_000_000_000n,
  sellToken: tokenOf('USDC'),
  buyToken: tokenOf('WETH'),
  constraints: { sources, topology: 'graph' },
};

function planHere(of: Market, request: RoutingRequest) {
  const plan = createPlanner()(of, request);
  if (plan.kind !== 'plan') return plan;
  const { proof: _proof, gas: _gas, ...rest } = plan;
  return rest;
}

describe('startPlanningThread', () => {
  test('plans for a market, for its next block, for a trade with orders -> the same as in this thread', async () => {
    const other: Market = { ...market, block: { ...market.block }, gasPriceWei: 10n ** 12n };
    const taker = market.routers[0]?.address ?? market.usdToken;
    const quoted = await withQuotes(market, { ...sale, taker }, testMakers());
    const withMakers = {
      ...sale,
      constraints: { ...sale.constraints, sources: new Set([...sources, 'MakerOrders']) },
    };
    const markets = [market, quoted, market, other, quoted] as const;
    const planned = await Promise.all(markets.map((each) => thread.planner(each, withMakers)));
    expect(planned).toEqual(markets.map((each) => planHere(each, withMakers)));
    const [first, second] = planned;
    expect(second).not.toEqual(first);
  });

  test('a chain whose first trade has orders -> trades of other pairs are planned without them', async () => {
    const fresh: Market = { ...market, block: { ...market.block } };
    const taker = market.routers[0]?.address ?? market.usdToken;
    const quoted = await withQuotes(fresh, { ...sale, taker }, testMakers());
    const withMakers = new Set([...sources, 'MakerOrders']);
    const constraints = { ...sale.constraints, sources: withMakers };
    const first = { ...sale, constraints };
    const second = { ...first, buyToken: tokenOf('DAI'), amount: 2_000_000_000_000n };
    expect(quoted.pools.length).toBeGreaterThan(fresh.pools.length);
    expect(await thread.planner(quoted, first)).toEqual(planHere(quoted, first));
    expect(await thread.planner(fresh, first)).toEqual(planHere(fresh, first));
    expect(await thread.planner(fresh, second)).toEqual(planHere(fresh, second));
  });

  test('a pool of a plan -> the pool of the market, not a copy', async () => {
    const plan = await thread.planner(market, sale);
    const pools = plan.kind === 'plan' ? plan.swaps.map(({ pool }) => pool) : [];
    expect(pools.length).toBeGreaterThan(0);
    for (const pool of pools) expect(market.pools).toContain(pool);
  });

  test('no route -> its reason', async () => {
    const none = { ...sale, constraints: { ...sale.constraints, sources: new Set<string>() } };
    expect(await thread.planner(market, none)).toEqual({
      kind: 'no-route',
      reason: 'disconnected',
    });
  });

  test('a plan in progress -> this thread continues', async () => {
    const planning = thread.planner({ ...market, block: { ...market.block } }, sale);
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 0);
    await planning;
    clearInterval(timer);
    expect(turns).toBeGreaterThan(0);
  });
});
