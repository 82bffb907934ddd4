import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forAll } from '../../fixtures/testing/for-all.testing.ts';
import { bestSinglePath } from '../../scripts/bench/routing-baselines.ts';
import { loadEmbeddedMarkets } from '../market/embedded-markets.ts';
import type { Address } from './domain/address.ts';
import type { Arc } from './graph/arc.ts';
import { TOPOLOGIES, type Topology } from './graph/plan.ts';
import {
  allPathsOf,
  anyMarket,
  BUY,
  constraintsOf,
  faultsOf,
  marketOf,
  pairPool,
  planFor,
  roundedByVault,
  SELL,
} from './planner.testing.ts';
import { swapExactInput, swapExactOutput } from './pools/families.ts';
import type { PoolMarket } from './prices/pool-market.ts';

const runs = { seed: 20, numRuns: 150 };

const anyTopology = fc.constantFrom(...TOPOLOGIES);
const anyAmount = fc
  .integer({ min: 0, max: 240 })
  .map((size) => BigInt(Math.round(10 ** (size / 10))));

function sell(market: PoolMarket, amount: bigint, topology?: Topology) {
  return planFor(market, 'exact-input', amount, { constraints: constraintsOf(market, topology) });
}

function buy(market: PoolMarket, amount: bigint, topology?: Topology) {
  return planFor(market, 'exact-output', amount, { constraints: constraintsOf(market, topology) });
}

describe('createPlanner', () => {
  test.each([
    ['input', sell],
    ['output', buy],
  ] as const)(
    'any exact %s -> conserved and acyclic, and each swap has the exact amounts of its pool',
    (side, plan) => {
      forAll([anyMarket, anyAmount, anyTopology], runs, (market, amount, topology) => {
        const found = plan(market, amount, topology);
        fc.pre(found.kind === 'plan');
        expect(faultsOf(found)).toEqual([]);
        expect(side === 'input' ? found.sellAmount : found.buyAmount).toBe(amount);
        for (const swap of found.swaps) {
          const { amountIn, amountOut } = swap;
          const settled =
            side === 'input' ? swapExactInput(swap, amountIn) : swapExactOutput(swap, amountOut);
          expect(settled).toEqual({ kind: 'filled', amountIn, amountOut });
        }
      });
    },
  );

  test('an output that an exact input bought -> costs no more than that input, except that pairs round up', () => {
    forAll([anyMarket, anyAmount], runs, (market, amount) => {
      const sold = sell(market, amount);
      fc.pre(sold.kind === 'plan');
      const bought = buy(market, sold.buyAmount);
      if (bought.kind !== 'plan') throw new Error(bought.reason);
      // getAmountIn adds 1 even if the division leaves no remainder.
      expect(bought.sellAmount).toBeLessThanOrEqual(amount + BigInt(bought.swaps.length));
    });
  });

  test('a larger input -> no smaller output and no better rate', () => {
    forAll([anyMarket, anyAmount, anyTopology], runs, (market, amount, topology) => {
      const less = sell(market, amount, topology);
      const more = sell(market, amount + amount / 3n + 1n, topology);
      fc.pre(less.kind === 'plan' && more.kind === 'plan');
      expect(more.buyAmount).toBeGreaterThanOrEqual(less.buyAmount);
      const [lessRate, moreRate] = [less, more].map(
        ({ buyAmount, sellAmount }) => Number(buyAmount) / Number(sellAmount),
      );
      const whole = 8 / Math.min(Number(less.buyAmount), Number(less.sellAmount));
      expect(moreRate).toBeLessThanOrEqual((lessRate ?? 0) * (1 + 1e-9 + whole));
    });
  });

  test('paths -> only the sell token is split, exact output through one family per path', () => {
    forAll([anyMarket, anyAmount], runs, (market, amount) => {
      const found = buy(market, amount, 'paths');
      fc.pre(found.kind === 'plan');
      for (const { tokenOut, amountOut, pool } of found.swaps) {
        if (tokenOut === found.buyToken) continue;
        const next = found.swaps.find(
          (swap) => swap.tokenIn === tokenOut && swap.amountIn === amountOut,
        );
        expect(next?.pool.family).toBe(pool.family);
      }
    });
  });

  test('sources whose names contain commas and quotes -> each set of sources has its own plans', () => {
    const pools = ['A', 'B', 'A,B', 'A","B', 'A\nB'].map((source) => ({
      ...pairPool([0, 3], 10n ** 21n, 10n ** 21n),
      source,
    }));
    const market = marketOf(pools);
    const usedFor = (...sources: string[]) => {
      const constraints = { sources: new Set(sources), topology: 'graph' } as const;
      const found = planFor(market, 'exact-input', 10n ** 20n, { constraints });
      return found.kind === 'plan' ? found.swaps.map(({ pool }) => pool.source).sort() : [];
    };
    for (const { source } of pools.slice(2)) expect(usedFor(source)).toEqual([source]);
    expect(usedFor('B', 'A')).toEqual(['A', 'B']);
    for (const { source } of pools) expect(usedFor(source)).toEqual([source]);
  });

  test('pools that change, appear and disappear -> the same plans as without caches', () => {
    let chainId = 1_000;
    const anyPick = fc.integer({ min: 0, max: 100 });
    const some = { ...runs, numRuns: 40 };
    forAll([anyMarket, anyMarket, anyPick, anyAmount], some, (market, other, pick, amount) => {
      sell(market, amount);
      const at = pick % market.pools.length;
      for (const pools of [
        market.pools.map((pool, index) => (index === at ? { ...pool } : pool)),
        market.pools.toSpliced(at, 1),
        [...market.pools, ...other.pools.slice(0, 1)],
      ]) {
        const changed = { ...market, pools };
        // Each chain has its own caches, and this chain id is new.
        const unknown = { ...changed, chainId: chainId++ };
        expect(sell(changed, amount)).toEqual(sell(unknown, amount));
        expect(buy(changed, amount)).toEqual(buy(unknown, amount));
      }
    });
  });

  test('an output that drains pools, where floats lose the inflow of some pools -> no error', () => {
    const market = loadEmbeddedMarkets().find(({ chainId }) => chainId === 31338);
    const [sellToken, buyToken] = ['USDT', 'BTCB'].map((symbol) => addressOf(market, symbol));
    if (!market || !sellToken || !buyToken) throw new Error('no such pair');
    const pair = { sellToken, buyToken };
    expect(() => planFor(market, 'exact-output', 46_465_365_346_972_835_353n, pair)).not.toThrow();
  });

  test('amounts too small to move rates in floats -> at most a base unit less than the best path, within the bound', () => {
    const anySmall = anyAmount.map((amount) => 10n ** 6n + (amount % 10n ** 18n));
    forAll([anyMarket, anySmall], { ...runs, numRuns: 100 }, (market, amount) => {
      const bestOutput = bestSinglePath(market)(SELL, BUY, amount);
      fc.pre(bestOutput > 0n);
      const found = sell(market, amount);
      if (found.kind !== 'plan') throw new Error(found.reason);
      expect(found.buyAmount).toBeGreaterThanOrEqual(bestOutput - 1n);
      expect(found.proof.gap).toBeGreaterThan(-1e-9 - 1 / Number(amount));
    });
  });

  test.each([
    ['EURC', 'WBTC', 13_769_340_246n],
    ['WETH', 'GUSD', 3_102_437_079_631_426_560n],
    ['SHIB', 'EURC', 578_508_544_041_829_687_290_232_832n],
  ])(
    'paths from %s to %s, with Uniswap V4 pools -> at least as much as without these pools',
    (...trade) => {
      const [sellSymbol, buySymbol, amount] = trade;
      const [market] = loadEmbeddedMarkets();
      const [sellToken, buyToken] = [sellSymbol, buySymbol].map((one) => addressOf(market, one));
      if (!market || !sellToken || !buyToken) throw new Error('no such pair');
      const plain = ['UniswapV2', 'SushiswapV2', 'UniswapV3'];
      const [withV4, withoutV4] = [[...plain, 'UniswapV4'], plain].map((names) => {
        const constraints = { sources: new Set(names), topology: 'paths' } as const;
        const found = planFor(market, 'exact-input', amount, { sellToken, buyToken, constraints });
        return found.kind === 'plan' ? found.buyAmount : 0n;
      });
      expect(withoutV4).toBeGreaterThan(0n);
      expect(withV4).toBeGreaterThanOrEqual(withoutV4 ?? 0n);
    },
  );

  test.each([
    [
      'WETH',
      'WBTC',
      17_111_837_374_105_399_296n,
      'V3 3000 WBTC/WETH, V3 500 DAI/WETH, V2 3000 WBTC/DAI',
    ],
    [
      'DAI',
      'wstETH',
      4_665_383_345_060_331_520n,
      'V3 100 DAI/USDC, V3 500 wstETH/USDC, V3 500 DAI/WETH, V3 100 wstETH/WETH',
    ],
  ])(
    'paths from %s to %s with a split that gains less than rounding -> at least as much as one path',
    (...trade) => {
      const [sellSymbol, buySymbol, amount, names] = trade;
      const [embedded] = loadEmbeddedMarkets();
      const [sellToken, buyToken] = [sellSymbol, buySymbol].map((one) => addressOf(embedded, one));
      if (!embedded || !sellToken || !buyToken) throw new Error('no such pair');
      const symbolOf = (token: Address) => embedded.tokens.get(token)?.symbol;
      const pools = embedded.pools.filter((pool) => {
        if (pool.family !== 'constant-product' && pool.family !== 'concentrated') return false;
        const { source, feePips, token0, token1 } = pool;
        const name = `${source} ${feePips} ${symbolOf(token0)}/${symbolOf(token1)}`;
        return names.split(', ').includes(name.replace('Uniswap', ''));
      });
      const market = { ...embedded, pools };
      const constraints = constraintsOf(market, 'paths');
      const found = planFor(market, 'exact-input', amount, { sellToken, buyToken, constraints });
      const bestOutput = bestSinglePath(market)(sellToken, buyToken, amount);
      expect(bestOutput).toBeGreaterThan(0n);
      expect(found.kind === 'plan' && found.buyAmount).toBeGreaterThanOrEqual(bestOutput);
    },
  );

  test('no pools between the tokens -> disconnected', () => {
    const market = marketOf([pairPool([0, 1], 10n ** 20n, 10n ** 20n)]);
    expect(sell(market, 1000n)).toEqual({ kind: 'no-route', reason: 'disconnected' });
  });

  test('a source that the router does not support -> disconnected', () => {
    const market = marketOf([pairPool([0, 3], 10n ** 20n, 10n ** 20n)]);
    const constraints = { ...constraintsOf(market), sources: new Set(['Other']) };
    const found = planFor(market, 'exact-input', 1000n, { constraints });
    expect(found).toEqual({ kind: 'no-route', reason: 'disconnected' });
  });

  test.each(TOPOLOGIES)('2^256 - 1 for %s -> insufficient liquidity', (topology) => {
    const market = marketOf([pairPool([0, 3], 10n ** 20n, 10n ** 20n)]);
    const maxAmount = 2n ** 256n - 1n;
    const expected = { kind: 'no-route', reason: 'insufficient-liquidity' };
    expect(sell(market, maxAmount, topology)).toEqual(expected);
    expect(buy(market, maxAmount, topology)).toEqual(expected);
  });

  test('an amount that buys less than one base unit -> dust', () => {
    const market = marketOf([pairPool([0, 3], 10n ** 24n, 10n ** 20n)]);
    expect(sell(market, 1000n)).toEqual({ kind: 'no-route', reason: 'dust' });
  });

  test('one base unit of a cheap buy token -> one swap', () => {
    const pools = [1, 2, 3].map(() => pairPool([0, 3], 10n ** 20n, 10n ** 24n));
    const found = sell(marketOf(pools), 1n);
    expect(found.kind === 'plan' && found.swaps.length).toBe(1);
  });

  test.each(TOPOLOGIES)('equal parallel pools, %s -> split evenly', (topology) => {
    const pools = [1, 2].map(() => pairPool([0, 3], 10n ** 20n, 10n ** 20n));
    const found = sell(marketOf(pools), 10n ** 19n, topology);
    const inputs = found.kind === 'plan' ? found.swaps.map(({ amountIn }) => amountIn) : [];
    expect(inputs).toHaveLength(2);
    for (const amountIn of inputs) expect(Number(amountIn)).toBeCloseTo(5e18, -6);
  });

  test('the embedded market, every pair in both directions -> the laws hold, except for rounding of the Vault', () => {
    const [market] = loadEmbeddedMarkets();
    if (market === undefined) throw new Error('no embedded market');
    const constraints = constraintsOf(market);
    for (const { address: sellToken, decimals } of market.tokens.values()) {
      for (const buyToken of market.tokens.keys()) {
        if (buyToken === sellToken) continue;
        const pair = { sellToken, buyToken, constraints };
        const sold = planFor(market, 'exact-input', 7n * 10n ** BigInt(decimals), pair);
        if (sold.kind !== 'plan') continue;
        expect(faultsOf(sold)).toEqual([]);
        const reverse = { ...pair, swapKind: 'exact-output', amount: sold.buyAmount } as const;
        const bought = planFor(market, reverse.swapKind, reverse.amount, pair);
        if (bought.kind !== 'plan') throw new Error(bought.reason);
        expect(faultsOf(bought)).toEqual([]);
        const excess = Number(bought.sellAmount - sold.sellAmount);
        if (excess <= 0) continue;
        expect(excess).toBeLessThanOrEqual(Math.ceil(roundedByVault(market, reverse, bought)));
      }
    }
  });

  const anyDust = fc
    .integer({ min: 0, max: 50 })
    .map((size) => BigInt(Math.round(10 ** (size / 10))));

  test('a sale of up to 10^5 base units -> buys at least as much as through any single path', () => {
    forAll([anyMarket, anyDust, anyTopology], runs, (market, amount, topology) => {
      const found = sell(market, amount, topology);
      const bought = found.kind === 'plan' ? found.buyAmount : 0n;
      expect(bought).toBeGreaterThanOrEqual(bestSinglePath(market)(SELL, BUY, amount));
    });
  });

  test('a purchase of up to 10^5 base units -> costs at most as much as through any single path', () => {
    forAll([anyMarket, anyDust], runs, (market, amount) => {
      const found = buy(market, amount);
      for (const { arcs } of allPathsOf(market)) {
        const cost = costAlong(arcs, amount);
        if (cost === undefined) continue;
        if (found.kind !== 'plan') throw new Error(found.reason);
        expect(found.sellAmount).toBeLessThanOrEqual(cost);
      }
    });
  });

  test('dust, with tokens whose base unit is worth thousands of other base units -> a path that avoids these tokens', () => {
    const [market] = loadEmbeddedMarkets();
    const [sellToken, buyToken] = ['FERN', 'DAI'].map((symbol) => addressOf(market, symbol));
    if (!market || !sellToken || !buyToken) throw new Error('no such pair');
    const pair = { sellToken, buyToken, constraints: constraintsOf(market) };
    for (const amount of [1n, 3126n]) {
      const found = planFor(market, 'exact-output', amount, pair);
      expect(found.kind === 'plan' && Number(found.sellAmount)).toBeLessThan(1e4);
    }
  });
});

function addressOf(market: PoolMarket | undefined, symbol: string) {
  return [...(market?.tokens.values() ?? [])].find((token) => token.symbol === symbol)?.address;
}

/** Returns the input that buys an amount along a path; `undefined` if a pool holds too little. */
function costAlong(arcs: readonly Arc[], amountOut: bigint): bigint | undefined {
  let cost = amountOut;
  for (const arc of arcs.toReversed()) {
    const { kind, amountIn } = swapExactOutput(arc, cost);
    if (kind !== 'filled') return undefined;
    cost = amountIn;
  }
  return cost;
}
