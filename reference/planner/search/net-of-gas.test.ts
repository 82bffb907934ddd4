import { describe, expect, test } from 'vitest';
import { networkOf } from '../../../scripts/bench/networks.ts';
import type { PlanSwap, ProvenPlan, RoutingRequest, SwapKind, Topology } from '../graph/plan.ts';
import { TOPOLOGIES } from '../graph/plan.ts';
import { faultsOf } from '../planner.testing.ts';
import { createPlanner } from '../planner.ts';
import { curveOf, directionsOf } from '../pools/families.ts';
import { costOfGas, gasCostIn } from '../prices/gas-cost.ts';
import type { PoolMarket } from '../prices/pool-market.ts';
import { usdPrices } from '../prices/usd-prices.ts';

const planner = createPlanner();

const SWAP_GAS = { first: 3_000, later: 9_000 };

function trade(
  shape: { pools: number; tokens: number; seed: number },
  dollars: number,
  { swapKind = 'exact-input' as SwapKind, topology = 'graph' as Topology, from = 1 } = {},
) {
  const mispricing = shape.seed % 3 === 0 ? 1.5 : 0.9;
  const { market, unitsFor } = networkOf({ ...shape, mispricing });
  const [buyToken, sellToken] = [...market.tokens.keys()].slice(-from - 1);
  if (sellToken === undefined || buyToken === undefined) throw new Error('no tokens');
  const amount = unitsFor(swapKind === 'exact-input' ? sellToken : buyToken, dollars);
  const sources = new Set(market.pools.map(({ source }) => source));
  const constraints = { sources, topology, swapGas: SWAP_GAS };
  const gasPriceWei = unitsFor(market.wrappedNative, 0.3) / 100_000n + 1n;
  const request = { sellToken, buyToken, swapKind, amount, constraints, gasPriceWei };
  return { market, request } satisfies { market: PoolMarket; request: RoutingRequest };
}

function gasOf(swaps: readonly PlanSwap[], { sellToken }: RoutingRequest): bigint {
  return swaps.reduce((sum, swap) => {
    const own = swap.tokenIn === sellToken ? SWAP_GAS.first : SWAP_GAS.later;
    return sum + BigInt(own + curveOf(swap).gas(swap.amountIn, 0));
  }, 0n);
}

type Settled = Pick<ProvenPlan, 'sellAmount' | 'buyAmount' | 'swaps'>;

/** Returns a function for the output of a plan, or its negative input, net of gas. */
function netsOf(market: PoolMarket, request: RoutingRequest): (plan: Settled) => bigint {
  const sells = request.swapKind === 'exact-input';
  const token = sells ? request.buyToken : request.sellToken;
  const price = gasCostIn(market, usdPrices(market), token, request.gasPriceWei ?? 0n);
  if (price === undefined) throw new Error('no price');
  return ({ sellAmount, buyAmount, swaps }) =>
    (sells ? buyAmount : -sellAmount) - costOfGas(price, gasOf(swaps, request));
}

function planned(market: PoolMarket, request: RoutingRequest): ProvenPlan | undefined {
  const found = planner(market, request);
  return found.kind === 'plan' ? found : undefined;
}

function bestOfSubsets(market: PoolMarket, request: RoutingRequest): bigint {
  const nets: bigint[] = [];
  const netOf = netsOf(market, request);
  for (let set = 1; set < 2 ** market.pools.length; set++) {
    const pools = market.pools.filter((_, pool) => (set >> pool) & 1);
    const plan = planned({ ...market, pools }, { ...request, gasPriceWei: 0n });
    if (plan !== undefined) nets.push(netOf(plan));
  }
  return nets.sort((a, b) => Number(a - b)).at(-1) ?? 0n;
}

function bestSinglePath(market: PoolMarket, request: RoutingRequest): bigint | undefined {
  const { sellToken, buyToken, amount: sellAmount } = request;
  const netOf = netsOf(market, request);
  const steps = market.pools
    .flatMap(directionsOf)
    .map((direction) => ({ ...direction, curve: curveOf(direction) }));
  let best: bigint | undefined;
  const visit = (token: string, carried: bigint, swaps: readonly PlanSwap[]): void => {
    if (token === buyToken) {
      const net = netOf({ sellAmount, buyAmount: carried, swaps });
      if (best === undefined || net > best) best = net;
      return;
    }
    for (const step of swaps.length === 4 ? [] : steps) {
      if (step.tokenIn !== token || swaps.some(({ tokenIn }) => tokenIn === step.tokenOut))
        continue;
      const { kind, amountIn, amountOut } = step.curve.swapExactInput(carried);
      if (kind === 'filled' && amountOut > 0n) {
        visit(step.tokenOut, amountOut, [...swaps, { ...step, amountIn, amountOut }]);
      }
    }
  };
  visit(sellToken, sellAmount, []);
  return best;
}

describe('plans net of gas', () => {
  test.each(['exact-input', 'exact-output'] as const)(
    'small networks, %s -> at most the cost of one swap below the best plan over all sets of pools',
    (swapKind) => {
      let best = 0;
      let tried = 0;
      for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
        for (const dollars of [300, 30_000]) {
          const { market, request } = trade({ pools: 7, tokens: 4, seed }, dollars, { swapKind });
          const plan = planned(market, request);
          if (plan === undefined) continue;
          const net = netsOf(market, request)(plan);
          const optimum = bestOfSubsets(market, request);
          const aSwap = (plan.gas.cost ?? 0n) / BigInt(plan.swaps.length);
          expect(optimum - net).toBeLessThan(aSwap);
          if ((optimum - net) * 100n <= aSwap) best += 1;
          tried += 1;
        }
      }
      expect(best / tried).toBeGreaterThan(0.9);
    },
  );

  test.each(TOPOLOGIES)(
    'trades below 1,000 dollars for %s -> at least as good as the best single path',
    (topology) => {
      let worse = 0;
      let fewer = 0;
      for (let at = 0; at < 50; at++) {
        const dollars = 10 ** (1 + (at % 20) / 10);
        const shape = { pools: 30, tokens: 8, seed: 1 + (at % 5) };
        const { market, request } = trade(shape, dollars, { topology, from: 1 + (at % 6) });
        const plan = planned(market, request);
        const whole = planned(market, { ...request, gasPriceWei: 0n });
        const path = bestSinglePath(market, request);
        if (plan === undefined || whole === undefined || path === undefined) continue;
        expect(faultsOf(plan)).toEqual([]);
        const netOf = netsOf(market, request);
        const net = netOf(plan);
        if (net < path) worse += 1;
        expect(net).toBeGreaterThanOrEqual(netOf(whole));
        if (plan.swaps.length < whole.swaps.length) fewer += 1;
      }
      expect(worse).toBe(0);
      expect(fewer).toBeGreaterThan(12);
    },
  );

  test('a plan -> includes its gas, the cost of that gas, and the gap to the bound without gas', () => {
    const { market, request } = trade({ pools: 40, tokens: 10, seed: 1 }, 3_000);
    const plan = planned(market, request);
    const whole = planned(market, { ...request, gasPriceWei: 0n });
    if (plan === undefined || whole === undefined) throw new Error('no plan');
    const units = gasOf(plan.swaps, request);
    const price = gasCostIn(market, usdPrices(market), request.buyToken, request.gasPriceWei);
    if (price === undefined) throw new Error('no price');
    expect(plan.gas).toEqual({
      ...{ units, priceWei: request.gasPriceWei },
      cost: costOfGas(price, units),
    });
    expect(plan.proof.bound).toBe(whole.proof.bound);
    expect(plan.proof.gap).toBe(1 - Number(plan.buyAmount) / whole.proof.bound);
    expect(plan.proof.gap).toBeGreaterThan(whole.proof.gap);
    expect(whole.gas).toEqual({ units: gasOf(whole.swaps, request), priceWei: 0n });
  });

  test.each([
    ['exact-input', 'graph', 0n],
    ['exact-output', 'graph', 0n],
    ['exact-input', 'graph', 1n],
    ['exact-input', 'paths', 0n],
  ] as const)(
    '%s for %s -> at most as many swaps as the router settles',
    (swapKind, topology, wei) => {
      const options = { swapKind, topology };
      const { market, request } = trade({ pools: 60, tokens: 8, seed: 2 }, 1e6, options);
      const whole = planned(market, { ...request, gasPriceWei: 0n });
      const swapCount = whole?.swaps.length ?? 0;
      expect(swapCount).toBeGreaterThan(4);
      for (const maxSwaps of [4, swapCount - 1]) {
        const constraints = { ...request.constraints, maxSwaps };
        const plan = planned(market, { ...request, constraints, gasPriceWei: wei });
        if (plan === undefined) throw new Error('no plan');
        expect(faultsOf(plan)).toEqual([]);
        expect(plan.swaps.length).toBeLessThanOrEqual(maxSwaps);
      }
    },
  );

  test('a market without a price for the native token -> a plan that ignores gas, without a gas cost', () => {
    const { market, request } = trade({ pools: 40, tokens: 10, seed: 1 }, 3_000);
    const wrappedNative = `0x${'9'.repeat(40)}` as const;
    const unpriced = { ...market, wrappedNative } as unknown as PoolMarket;
    const plan = planned(unpriced, request);
    const whole = planned(market, { ...request, gasPriceWei: 0n });
    expect(plan?.swaps).toEqual(whole?.swaps);
    expect(plan?.gas).toMatchObject({ priceWei: request.gasPriceWei });
    expect(plan?.gas.cost).toBeUndefined();
  });

  test('a request without a gas price -> a plan at the gas price of the market', () => {
    const { market, request } = trade({ pools: 40, tokens: 10, seed: 1 }, 300);
    const { gasPriceWei, ...own } = request;
    const plan = planned(market, request);
    expect(planned({ ...market, gasPriceWei }, own)).toEqual(plan);
    expect(planned(market, own)?.gas.priceWei).toBe(0n);
  });
});
