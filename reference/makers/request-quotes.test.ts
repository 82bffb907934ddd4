import { describe, expect, test } from 'vitest';
import { createRandom } from '../../conformance/model/random.ts';
import { loadEmbeddedMarkets } from '../market/embedded-markets.ts';
import type { Market } from '../market/market.ts';
import type { ProvenPlan, RoutingRequest, SwapKind } from '../planner/graph/plan.ts';
import { createPlanner } from '../planner/planner.ts';
import { MAKER_SOURCE } from '../planner/pools/maker-order.ts';
import { ANYONE } from './maker.ts';
import { withQuotes } from './request-quotes.ts';
import { testMakers } from './test-maker.ts';

const planner = createPlanner();

const [market] = loadEmbeddedMarkets() as [Market];
const constraints = {
  sources: new Set([...market.pools.map(({ source }) => source), MAKER_SOURCE]),
  topology: 'graph' as const,
};
const addressOf = (symbol: string) => {
  const found = [...market.tokens.values()].find((token) => token.symbol === symbol);
  return found?.address ?? ANYONE;
};

async function planned(sell: string, buy: string, swapKind: SwapKind, amount: bigint) {
  const sides = { sellToken: addressOf(sell), buyToken: addressOf(buy) };
  const request = { ...sides, swapKind, amount };
  const quoted = await withQuotes(market, { ...request, taker: ANYONE }, testMakers());
  expect(quoted.pools.length).toBe(market.pools.length + 3);
  return [quoted, market].map((each) => {
    const plan = planner(each, { ...request, constraints });
    if (plan.kind !== 'plan') throw new Error(plan.reason);
    return plan;
  });
}

describe('completely filled orders', () => {
  test.each([
    ['WETH', 'TICKET', 32n * 10n ** 18n],
    ['WETH', 'USDC', 32n * 10n ** 18n],
    ['USDC', 'WETH', 100_000n * 10n ** 6n],
  ])('exact input, %s to %s -> buys more than without orders', async (sell, buy, amount) => {
    const [plan, without] = await planned(sell, buy, 'exact-input', amount);
    expect(plan?.swaps.filter(({ pool }) => pool.source === MAKER_SOURCE)).toHaveLength(3);
    expect(plan?.buyAmount).toBeGreaterThan(without?.buyAmount ?? 0n);
  });

  test.each([
    ['WETH', 'TICKET', 19_248n],
    ['USDC', 'TICKET', 19_000n],
    ['USDC', 'WETH', 32n * 10n ** 18n],
  ])('exact output, %s to %s -> sells less than without orders', async (sell, buy, amount) => {
    const [plan, without] = await planned(sell, buy, 'exact-output', amount);
    expect(plan?.swaps.filter(({ pool }) => pool.source === MAKER_SOURCE)).toHaveLength(3);
    expect(plan?.sellAmount).toBeLessThan(without?.sellAmount ?? 0n);
  });
});

/** Each order consists of a taker amount and a maker amount. */
async function planWithAndWithout(request: Trade, orders: readonly (readonly [bigint, bigint])[]) {
  const { sellToken: takerToken, buyToken: makerToken } = request;
  const signed = orders.map(([takerAmount, makerAmount], at) => ({
    order: {
      ...{ maker: ANYONE, taker: ANYONE, takerToken, makerToken, takerAmount, makerAmount },
      ...{ expiry: 2n ** 40n, salt: BigInt(at) },
    },
    signature: `0x${'1b'.repeat(65)}` as const,
  }));
  const maker = { chainId: market.chainId, quote: async () => signed };
  const quoted = await withQuotes(market, { ...request, taker: ANYONE }, [maker]);
  return [quoted, market].map((each) => planner(each, { ...request, constraints }));
}

type Trade = Omit<RoutingRequest, 'constraints'>;

describe('orders far from the market', () => {
  const sides = { sellToken: addressOf('DAI'), buyToken: addressOf('WETH') };
  const amount = 3000n * 10n ** 18n;
  const huge = [amount * 10n ** 12n, 959n * 10n ** 27n] as const;
  const dear = [amount / 10n, 10n ** 23n] as const;

  test.each([
    ['an order for a trillion times the trade, slightly worse than pools', [huge]],
    ['an order for a tenth of the trade, at a million times the price', [dear]],
    ['both orders', [huge, dear]],
  ] as const)('%s -> within a millionth of the best plan', async (_, orders) => {
    const sale = { ...sides, swapKind: 'exact-input' as const, amount, gasPriceWei: 0n };
    const [plan, without] = await planWithAndWithout(sale, orders);
    if (plan?.kind !== 'plan' || without?.kind !== 'plan') throw new Error('no plan');
    expect(plan.buyAmount).toBeGreaterThanOrEqual(without.buyAmount);
    expect(plan.proof.gap).toBeLessThan(1e-6);
  });

  test('random orders of any size and price -> net of gas, at least as good as without orders', async () => {
    const random = createRandom(11);
    const drawn = (maxExponent: number) => BigInt(Math.ceil(10 ** (random() * maxExponent)));
    const tokens = [...market.tokens.keys()];
    const token = () => tokens[Math.floor(random() * tokens.length)] ?? ANYONE;
    let compared = 0;
    for (let trades = 0; trades < 120; trades++) {
      const [swapKind, traded] = [KINDS[trades % 2] ?? 'exact-input', drawn(22)];
      const request = { sellToken: token(), buyToken: token(), swapKind, amount: traded };
      if (request.sellToken === request.buyToken) continue;
      const near = Array.from({ length: 1 + (trades % 3) }, () => [drawn(24), drawn(24)] as const);
      const [plan, without] = await planWithAndWithout(request, near);
      if (without?.kind !== 'plan') continue;
      compared++;
      if (plan?.kind !== 'plan') throw new Error(`no plan for trade ${trades}`);
      expect(netOf(plan), `trade ${trades}`).toBeGreaterThanOrEqual(netOf(without));
    }
    expect(compared).toBeGreaterThan(60);
  });
});

const KINDS = ['exact-input', 'exact-output'] as const;

const netOf = ({ buyAmount, sellAmount, gas }: ProvenPlan) =>
  buyAmount - sellAmount - (gas.cost ?? 0n);
