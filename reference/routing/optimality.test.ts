import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Market } from '../market/market.ts';
import { solveDual } from './dual-solver.ts';
import { mostByExhaustion } from './exhaustive.testing.ts';
import { flowProblemOf } from './flow-problem.ts';
import type { NoRoute, Plan, TradeRequest } from './plan.ts';
import { planRoute } from './plan-route.ts';
import { poolGraphOf } from './pool-graph.ts';
import { anyFairMarket, capabilityOf, marketOf, pairPool, tokenOf } from './routing.testing.ts';
import { mostByTrial } from './split-search.testing.ts';

function plan(market: Market, trade: TradeRequest['trade']): Plan | NoRoute {
  const [sellToken, buyToken] = [tokenOf(0), tokenOf(3)];
  return planRoute(market, { sellToken, buyToken, trade, capability: capabilityOf('graph') });
}

function sell(market: Market, sellAmount: bigint): Plan | NoRoute {
  return plan(market, { kind: 'exact-input', sellAmount });
}

/** What no plan can better, by weak duality: it needs no trust in the solver's convergence. */
function boundOf(market: Market, input: bigint): number {
  const graph = poolGraphOf(market, new Set(['Test']));
  return solveDual(flowProblemOf(graph, tokenOf(0), tokenOf(3)), Number(input)).bound;
}

/** From a part in ten thousand of a pool's depth to a hundred times all of them. */
const anyAmount = fc.integer({ min: 190, max: 270 }).map((size) => BigInt(10 ** (size / 10)));

/** What an amount that hardly moves the best price loses by not being split, and what others do. */
const toleranceOf = (amount: bigint) => (amount < 10n ** 20n ? 2e-7 : 1e-8);

describe('planRoute', () => {
  test('fair markets, exact input -> the plan yields the bound of what any can, to 1e-8 where it is split', () => {
    fc.assert(
      fc.property(anyFairMarket, anyAmount, (market, amount) => {
        const found = sell(market, amount);
        fc.pre(found.kind === 'plan');
        const bound = boundOf(market, amount);
        expect(Number(found.buyAmount)).toBeGreaterThan(bound * (1 - toleranceOf(amount)));
        expect(Number(found.buyAmount)).toBeLessThan(bound * (1 + 1e-9));
      }),
      { seed: 30, numRuns: 500 },
    );
  });

  test('fair markets, exact output -> what the plan costs could buy no more, to 1e-8 where it is split', () => {
    fc.assert(
      fc.property(anyFairMarket, anyAmount, (market, amount) => {
        const found = plan(market, { kind: 'exact-output', buyAmount: amount });
        fc.pre(found.kind === 'plan');
        const bound = boundOf(market, found.sellAmount);
        expect(Number(amount)).toBeGreaterThan(bound * (1 - toleranceOf(amount)));
        expect(Number(amount)).toBeLessThan(bound * (1 + 1e-9));
      }),
      { seed: 31, numRuns: 500 },
    );
  });

  test('fair markets -> a search by trial finds nothing better, and not much worse', () => {
    fc.assert(
      fc.property(anyFairMarket, fc.integer({ min: 1, max: 3000 }), (market, size) => {
        const amount = BigInt(size) * 10n ** 20n;
        const found = sell(market, amount);
        fc.pre(found.kind === 'plan');
        const tried = Number(mostByTrial(market, tokenOf(0), tokenOf(3), amount));
        expect(Number(found.buyAmount)).toBeGreaterThan(tried * (1 - 1e-8));
        expect(tried).toBeGreaterThan(Number(found.buyAmount) * (1 - 1e-5));
      }),
      { seed: 32, numRuns: 60 },
    );
  });

  test('a few base units -> of all plans none is better by more than two base units sold', () => {
    const markets = fc.sample(fc.tuple(anyTinyMarket, fc.integer({ min: 3, max: 12 })), {
      seed: 33,
      numRuns: 400,
    });
    let planned = 0;
    let best = 0;
    for (const [market, amount] of markets) {
      const most = (input: number) =>
        mostByExhaustion(market, tokenOf(0), tokenOf(3), BigInt(input)) ?? 0n;
      const found = sell(market, BigInt(amount));
      const bought = found.kind === 'plan' ? found.buyAmount : 0n;
      expect(bought).toBeLessThanOrEqual(most(amount));
      expect(bought).toBeGreaterThanOrEqual(most(amount - 2));
      if (most(amount) > 0n) planned += 1;
      if (most(amount) > 0n && bought === most(amount)) best += 1;
    }
    expect(planned).toBeGreaterThan(200);
    expect(best / planned).toBeGreaterThan(0.8);
  });
});

/** Pairs of a few base units of all tokens but the one to buy, of which there are many. */
const anyTinyMarket: fc.Arbitrary<Market> = fc
  .array(
    fc.record({
      tokens: fc.constantFrom<readonly [number, number]>(
        [0, 1],
        [0, 2],
        [0, 3],
        [1, 2],
        [1, 3],
        [2, 3],
      ),
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
