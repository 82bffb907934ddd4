import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadEmbeddedMarkets } from '../market/embedded-markets.ts';
import type { Market } from '../market/market.ts';
import { afterExactInput, swapExactInput, swapExactOutput } from '../pools/families.ts';
import type { Pool } from '../pools/pool.ts';
import { pathsBetween } from './path.ts';
import type { NoRoute, Plan, RouterCapability, TradeRequest } from './plan.ts';
import { planRoute } from './plan-route.ts';
import { poolGraphOf } from './pool-graph.ts';
import {
  anyMarket,
  capabilityOf,
  faultsOf,
  marketOf,
  pairPool,
  tokenOf,
} from './routing.testing.ts';

const runs = { seed: 20, numRuns: 150 };

const anyShape = fc.constantFrom('graph' as const, 'paths' as const);
/** From dust to several times what the markets hold. */
const anyAmount = fc
  .integer({ min: 0, max: 240 })
  .map((size) => BigInt(Math.round(10 ** (size / 10))));

type Trade = TradeRequest['trade'];

function plan(market: Market, trade: Trade, capability: RouterCapability): Plan | NoRoute {
  return planRoute(market, { sellToken: tokenOf(0), buyToken: tokenOf(3), trade, capability });
}

function sell(market: Market, sellAmount: bigint, shape: RouterCapability['shape'] = 'graph') {
  return plan(market, { kind: 'exact-input', sellAmount }, capabilityOf(shape));
}

function buy(market: Market, buyAmount: bigint, shape: RouterCapability['shape'] = 'graph') {
  return plan(market, { kind: 'exact-output', buyAmount }, capabilityOf(shape));
}

describe('planRoute', () => {
  test('any exact input -> conserved, acyclic, each swap as its pool does it', () => {
    fc.assert(
      fc.property(anyMarket, anyAmount, anyShape, (market, amount, shape) => {
        const found = sell(market, amount, shape);
        fc.pre(found.kind === 'plan');
        expect(faultsOf(found)).toEqual([]);
        expect(found.sellAmount).toBe(amount);
        for (const { pool, tokenIn, amountIn, amountOut } of found.swaps) {
          expect(swapExactInput(pool, tokenIn, amountIn)).toMatchObject({
            kind: 'filled',
            amountOut,
          });
        }
      }),
      runs,
    );
  });

  test('any exact output -> conserved, acyclic, each swap as its pool does it', () => {
    fc.assert(
      fc.property(anyMarket, anyAmount, anyShape, (market, amount, shape) => {
        const found = buy(market, amount, shape);
        fc.pre(found.kind === 'plan');
        expect(faultsOf(found)).toEqual([]);
        expect(found.buyAmount).toBe(amount);
        for (const { pool, tokenIn, amountIn, amountOut } of found.swaps) {
          expect(swapExactOutput(pool, tokenIn, amountOut)).toMatchObject({
            kind: 'filled',
            amountIn,
          });
        }
      }),
      runs,
    );
  });

  test('what exact input returned -> bought for no more than was sold, but for a pair rounding up', () => {
    fc.assert(
      fc.property(anyMarket, anyAmount, (market, amount) => {
        const sold = sell(market, amount);
        fc.pre(sold.kind === 'plan');
        const bought = buy(market, sold.buyAmount);
        if (bought.kind !== 'plan') throw new Error(bought.reason);
        // getAmountIn adds 1 even where the division is exact.
        expect(bought.sellAmount).toBeLessThanOrEqual(amount + BigInt(bought.swaps.length));
      }),
      runs,
    );
  });

  test('more in -> no less out, at no better a price', () => {
    fc.assert(
      fc.property(anyMarket, anyAmount, anyShape, (market, amount, shape) => {
        const less = sell(market, amount, shape);
        const more = sell(market, amount + amount / 3n + 1n, shape);
        fc.pre(less.kind === 'plan' && more.kind === 'plan');
        expect(more.buyAmount).toBeGreaterThanOrEqual(less.buyAmount);
        const [lessRate, moreRate] = [less, more].map(
          ({ buyAmount, sellAmount }) => Number(buyAmount) / Number(sellAmount),
        );
        const whole = 8 / Math.min(Number(less.buyAmount), Number(less.sellAmount));
        expect(moreRate).toBeLessThanOrEqual((lessRate ?? 0) * (1 + 1e-9 + whole));
      }),
      runs,
    );
  });

  test('small markets -> no less than a fine greedy split yields, to a millionth', () => {
    fc.assert(
      fc.property(anyMarket, fc.integer({ min: 1, max: 3000 }), (market, size) => {
        const amount = BigInt(size) * 10n ** 20n;
        const found = sell(market, amount);
        fc.pre(found.kind === 'plan');
        expect(Number(found.buyAmount)).toBeGreaterThan(greedy(market, amount) * (1 - 1e-6));
      }),
      { ...runs, numRuns: 40 },
    );
  });

  test('paths -> only the sell token is split, exact output through one family each', () => {
    fc.assert(
      fc.property(anyMarket, anyAmount, (market, amount) => {
        const found = buy(market, amount, 'paths');
        fc.pre(found.kind === 'plan');
        for (const { tokenOut, amountOut, pool } of found.swaps) {
          if (tokenOut === found.buyToken) continue;
          const next = found.swaps.find(
            (swap) => swap.tokenIn === tokenOut && swap.amountIn === amountOut,
          );
          expect(next?.pool.family).toBe(pool.family);
        }
      }),
      runs,
    );
  });

  test('no pools between the tokens -> disconnected', () => {
    const market = marketOf([pairPool([0, 1], 10n ** 20n, 10n ** 20n)]);
    expect(sell(market, 1000n)).toEqual({ kind: 'no-route', reason: 'disconnected' });
  });

  test('source that the router does not know -> disconnected', () => {
    const market = marketOf([pairPool([0, 3], 10n ** 20n, 10n ** 20n)]);
    const capability: RouterCapability = { sources: new Set(['Other']), shape: 'graph' };
    const found = plan(market, { kind: 'exact-input', sellAmount: 1000n }, capability);
    expect(found).toEqual({ kind: 'no-route', reason: 'disconnected' });
  });

  test.each(['graph', 'paths'] as const)('2^256 - 1 for %s -> insufficient liquidity', (shape) => {
    const market = marketOf([pairPool([0, 3], 10n ** 20n, 10n ** 20n)]);
    const most = 2n ** 256n - 1n;
    const expected = { kind: 'no-route', reason: 'insufficient-liquidity' };
    expect(sell(market, most, shape)).toEqual(expected);
    expect(buy(market, most, shape)).toEqual(expected);
  });

  test('amount that buys less than one base unit -> dust', () => {
    const market = marketOf([pairPool([0, 3], 10n ** 24n, 10n ** 20n)]);
    expect(sell(market, 1000n)).toEqual({ kind: 'no-route', reason: 'dust' });
  });

  test('one base unit of a cheap buy token -> one swap', () => {
    const pools = [1, 2, 3].map(() => pairPool([0, 3], 10n ** 20n, 10n ** 24n));
    const found = sell(marketOf(pools), 1n);
    expect(found.kind === 'plan' && found.swaps.length).toBe(1);
  });

  test('parallel pools alike -> split evenly', () => {
    const pools = [1, 2].map(() => pairPool([0, 3], 10n ** 20n, 10n ** 20n));
    const found = sell(marketOf(pools), 10n ** 19n);
    const inputs = found.kind === 'plan' ? found.swaps.map(({ amountIn }) => amountIn) : [];
    expect(inputs).toHaveLength(2);
    for (const amountIn of inputs) expect(Number(amountIn)).toBeCloseTo(5e18, -6);
  });

  test('embedded market, every pair both ways -> the laws hold', () => {
    const [market] = loadEmbeddedMarkets();
    if (market === undefined) throw new Error('no embedded market');
    const sources = new Set(market.pools.map(({ source }) => source));
    const capability: RouterCapability = { sources, shape: 'graph' };
    for (const { address: sellToken, decimals } of market.tokens.values()) {
      for (const buyToken of market.tokens.keys()) {
        if (buyToken === sellToken) continue;
        const trade: Trade = { kind: 'exact-input', sellAmount: 7n * 10n ** BigInt(decimals) };
        const sold = planRoute(market, { sellToken, buyToken, trade, capability });
        if (sold.kind !== 'plan') continue;
        expect(faultsOf(sold)).toEqual([]);
        const back: Trade = { kind: 'exact-output', buyAmount: sold.buyAmount };
        const bought = planRoute(market, { sellToken, buyToken, trade: back, capability });
        if (bought.kind !== 'plan') throw new Error(bought.reason);
        expect(faultsOf(bought)).toEqual([]);
        expect(bought.sellAmount).toBeLessThanOrEqual(sold.sellAmount);
      }
    }
  });
});

/** Sells in 1000 slices, each along the path that is best just then, after what went before. */
function greedy(market: Market, amount: bigint): number {
  const graph = poolGraphOf(market, new Set(['Test']));
  const paths = pathsBetween(graph, tokenOf(0), tokenOf(3), false);
  const state = new Map<Pool, Pool>(market.pools.map((pool) => [pool, pool]));
  const direction = new Map<Pool, string>();
  const slice = amount / 1000n;
  let output = 0n;
  for (let sold = 0n; sold < amount; sold += slice) {
    let best:
      | { readonly amountOut: bigint; readonly hops: (typeof paths)[number]['hops'] }
      | undefined;
    for (const { hops } of paths) {
      if (hops.some(({ pool, tokenIn }) => (direction.get(pool) ?? tokenIn) !== tokenIn)) continue;
      let carried = slice;
      for (const { pool, tokenIn } of hops) {
        const swap =
          carried > 0n ? swapExactInput(state.get(pool) ?? pool, tokenIn, carried) : undefined;
        carried = swap?.kind === 'filled' ? swap.amountOut : 0n;
      }
      if (carried > (best?.amountOut ?? 0n)) best = { amountOut: carried, hops };
    }
    if (best === undefined) return Number(output);
    let carried = slice;
    for (const { pool, tokenIn } of best.hops) {
      const now = state.get(pool) ?? pool;
      state.set(pool, afterExactInput(now, tokenIn, carried));
      direction.set(pool, tokenIn);
      carried = swapExactInput(now, tokenIn, carried).amountOut;
    }
    output += best.amountOut;
  }
  return Number(output);
}
