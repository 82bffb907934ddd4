import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forAll } from '../../fixtures/testing/for-all.testing.ts';
import { networkOf } from '../../scripts/bench/networks.ts';
import { bestSinglePath } from '../../scripts/bench/routing-baselines.ts';
import { solveDual } from './dual/dual-solver.ts';
import { bestByPaths } from './path-sets.testing.ts';
import {
  anyFairMarket,
  anyMarket,
  anyPair,
  BUY,
  constraintsOf,
  faultsOf,
  marketOf,
  pairPool,
  planFor,
  problemOf,
  SELL,
  tokenOf,
} from './planner.testing.ts';
import type { PoolMarket } from './prices/pool-market.ts';
import { bestByTrial } from './split-search.testing.ts';

/** Ranges from a ten-thousandth of a pool's depth to a hundred times the total depth. */
const anyAmount = fc.integer({ min: 190, max: 270 }).map((size) => BigInt(10 ** (size / 10)));

/** The planner does not split smaller amounts, because they hardly move the best rate. */
const toleranceOf = (amount: bigint) => (amount < 10n ** 20n ? 2e-7 : 1e-8);

describe('createPlanner', () => {
  test.each([
    ['exact-input', 30],
    ['exact-output', 31],
  ] as const)(
    'fair markets, %s -> within 1e-8 of the dual bound if the trade is split',
    (swapKind, seed) => {
      forAll([anyFairMarket, anyAmount], { seed, numRuns: 500 }, (market, amount) => {
        const found = planFor(market, swapKind, amount);
        fc.pre(found.kind === 'plan');
        // Weak duality makes this a bound even if the solver did not converge.
        const { bound } = solveDual(problemOf(market), Number(found.sellAmount));
        expect(Number(found.buyAmount)).toBeGreaterThan(bound * (1 - toleranceOf(amount)));
        expect(Number(found.buyAmount)).toBeLessThan(bound * (1 + 1e-9));
      });
    },
  );

  test('fair markets -> a local search finds a plan that is no better, and not much worse', () => {
    forAll(
      [anyFairMarket, fc.integer({ min: 1, max: 3000 })],
      { seed: 32, numRuns: 60 },
      (market, size) => {
        const amount = BigInt(size) * 10n ** 20n;
        const found = planFor(market, 'exact-input', amount);
        fc.pre(found.kind === 'plan');
        const tried = Number(bestByTrial(market, SELL, BUY, amount));
        expect(Number(found.buyAmount)).toBeGreaterThan(tried * (1 - 1e-8));
        expect(tried).toBeGreaterThan(Number(found.buyAmount) * (1 - 1e-5));
      },
    );
  });

  test('markets with arbitrage -> no cycle, near the bound, and a local search finds nothing better', () => {
    forAll(
      [anyMarket, fc.integer({ min: 1, max: 3000 })],
      { seed: 34, numRuns: 60 },
      (market, size) => {
        const amount = BigInt(size) * 10n ** 20n;
        const found = planFor(market, 'exact-input', amount);
        fc.pre(found.kind === 'plan');
        expect(faultsOf(found)).toEqual([]);
        expect(found.proof.gap).toBeLessThan(1e-6);
        expect(found.proof.gap).toBeGreaterThan(-1e-9);
        const tried = Number(bestByTrial(market, SELL, BUY, amount));
        expect(Number(found.buyAmount)).toBeGreaterThan(tried * (1 - 1e-8));
      },
    );
  });

  test.each([
    ['fair', 60, 12, 0.9],
    ['few pools, many tokens', 60, 30, 0.9],
    ['with cycles that pay', 30, 8, 1.5],
  ])(
    'networks, %s -> within a millionth of the bound and never above, for exact input and output',
    (_, pools, tokens, mispricing) => {
      for (const seed of [1, 2, 3]) {
        const { market, unitsFor } = networkOf({ pools, tokens, seed, mispricing });
        const [sellToken, buyToken] = [...market.tokens.keys()].slice(-2);
        if (sellToken === undefined || buyToken === undefined) throw new Error('no tokens');
        for (const dollars of [1e4, 1e6]) {
          for (const swapKind of ['exact-input', 'exact-output'] as const) {
            const token = swapKind === 'exact-input' ? sellToken : buyToken;
            const amount = unitsFor(token, dollars);
            const found = planFor(market, swapKind, amount, { sellToken, buyToken });
            if (found.kind !== 'plan') continue;
            expect(faultsOf(found)).toEqual([]);
            expect(found.proof.gap).toBeLessThan(1e-6);
            expect(found.proof.gap).toBeGreaterThan(-1e-9);
          }
        }
      }
    },
  );

  test('cycles that gain more than the fees -> within 0.25% of the bound', () => {
    const { market, unitsFor } = networkOf({ pools: 200, tokens: 30, seed: 2, mispricing: 1.5 });
    const [sellToken, buyToken] = [0, 17].map((index) => [...market.tokens.keys()][index]);
    if (sellToken === undefined || buyToken === undefined) throw new Error('no tokens');
    const pair = { sellToken, buyToken };
    const gapOf = (maxSolutions?: number): number => {
      const more = maxSolutions === undefined ? pair : { ...pair, maxSolutions };
      const found = planFor(market, 'exact-input', unitsFor(sellToken, 1000), more);
      return found.kind === 'plan' ? found.proof.gap : 1;
    };
    const usual = gapOf();
    expect(usual).toBeLessThan(2.5e-3);
    expect(gapOf(1)).toBeGreaterThan(usual);
    expect(gapOf(256)).toBeLessThan(usual);
    expect(gapOf()).toBe(usual);
  });

  test('an output that cycles seem to yield without input -> within a percent of the bound, at no more than its exact-input cost', () => {
    const { market, unitsFor } = networkOf({ pools: 200, tokens: 30, seed: 401, mispricing: 2 });
    const [sellToken, buyToken] = [1, 4].map((index) => [...market.tokens.keys()][index]);
    if (sellToken === undefined || buyToken === undefined) throw new Error('no tokens');
    const pair = { sellToken, buyToken };
    const bought = planFor(market, 'exact-output', unitsFor(buyToken, 1371), pair);
    if (bought.kind !== 'plan') throw new Error(bought.reason);
    expect(faultsOf(bought)).toEqual([]);
    expect(bought.proof.gap).toBeLessThan(1e-2);
    const sold = planFor(market, 'exact-input', bought.sellAmount, pair);
    expect(Number(sold.kind === 'plan' && sold.buyAmount)).toBeLessThan(
      Number(bought.buyAmount) * (1 + 1e-6),
    );
  });

  test('tokens in a row -> a path through all of them', () => {
    const market = marketOf(
      [0, 1, 2, 3, 4, 5, 6].map((at) => pairPool([at, at + 1], 10n ** 24n, 10n ** 24n)),
    );
    const found = planFor(market, 'exact-input', 10n ** 18n, { buyToken: tokenOf(7) });
    expect(found.kind === 'plan' && found.swaps.length).toBe(7);
  });

  test.each([10, 200])(
    'paths for %s dollars -> at least the yield of any single path',
    (dollars) => {
      const { market, unitsFor } = networkOf({ pools: 60, tokens: 12, seed: 5, mispricing: 0.9 });
      const constraints = constraintsOf(market, 'paths');
      const [first, ...others] = market.tokens.keys();
      if (first === undefined) throw new Error('no tokens');
      const bestOf = bestSinglePath(market);
      for (const buyToken of others) {
        const amount = unitsFor(first, dollars * 1000);
        const found = planFor(market, 'exact-input', amount, {
          sellToken: first,
          buyToken,
          constraints,
        });
        const bought = found.kind === 'plan' ? found.buyAmount : 0n;
        expect(Number(bought)).toBeGreaterThanOrEqual(
          Number(bestOf(first, buyToken, amount)) * (1 - 1e-9),
        );
      }
    },
  );

  test('a few base units -> at most two base units of the sell token worse than every set of disjoint paths', () => {
    const markets = fc.sample(fc.tuple(anyTinyMarket, fc.integer({ min: 3, max: 12 })), {
      seed: 33,
      numRuns: 400,
    });
    let planned = 0;
    let best = 0;
    for (const [market, amount] of markets) {
      const optimum = (input: number) =>
        bestByPaths(market, [SELL, BUY], 'exact-input', BigInt(input)) ?? 0n;
      const found = planFor(market, 'exact-input', BigInt(amount));
      const bought = found.kind === 'plan' ? found.buyAmount : 0n;
      if (found.kind === 'plan') {
        expect(faultsOf(found)).toEqual([]);
        expect(found.proof.gap).toBeGreaterThan(-1e-9);
      }
      expect(bought).toBeGreaterThanOrEqual(optimum(amount - 2));
      if (optimum(amount) > 0n) planned += 1;
      if (optimum(amount) > 0n && bought >= optimum(amount)) best += 1;
    }
    expect(planned).toBeGreaterThan(200);
    expect(best / planned).toBeGreaterThan(0.9);
  });
});

test('more than the pools can take, with profitable cycles -> a bound for the whole amount', () => {
  const { market, unitsFor } = networkOf({ pools: 100, tokens: 20, seed: 401, mispricing: 2 });
  const [sellToken, buyToken] = [0, 3].map((index) => [...market.tokens.keys()][index]);
  if (sellToken === undefined || buyToken === undefined) throw new Error('no tokens');
  const proofAt = (dollars: number) => {
    const pair = { sellToken, buyToken };
    const found = planFor(market, 'exact-input', unitsFor(sellToken, dollars), pair);
    if (found.kind !== 'plan') throw new Error(found.reason);
    expect(found.proof.gap).toBeLessThan(1e-6);
    expect(found.proof.gap).toBeGreaterThan(0);
    return found.proof.bound;
  };
  expect(proofAt(1e14)).toBeGreaterThan(proofAt(1e12));
});

/** Pools hold few base units of every token except the buy token, of which they hold many. */
const anyTinyMarket: fc.Arbitrary<PoolMarket> = fc
  .array(
    fc.record({
      tokens: anyPair,
      depth: fc.integer({ min: 20, max: 400 }),
      skewPercent: fc.integer({ min: -3, max: 3 }),
    }),
    { minLength: 2, maxLength: 5 },
  )
  .map((specs) =>
    marketOf(
      specs.map(({ tokens, depth, skewPercent }) => {
        const unit = tokens[1] === 3 ? 10n ** 12n : 1n;
        const other = BigInt(Math.round(depth * (1 + skewPercent / 100)));
        return pairPool(tokens, BigInt(depth), other * unit);
      }),
    ),
  );
