import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forAll } from '../../scripts/for-all.testing.ts';
import type { Market } from '../market/market.ts';
import { solveDual } from './dual-solver.ts';
import { mostByExhaustion } from './exhaustive.testing.ts';
import {
  anyFairMarket,
  anyPair,
  BUY,
  marketOf,
  pairPool,
  planFor,
  problemOf,
  SELL,
} from './routing.testing.ts';
import { mostByTrial } from './split-search.testing.ts';

/** From a part in ten thousand of a pool's depth to a hundred times all of them. */
const anyAmount = fc.integer({ min: 190, max: 270 }).map((size) => BigInt(10 ** (size / 10)));

/** What an amount that hardly moves the best price loses by not being split, and what others do. */
const toleranceOf = (amount: bigint) => (amount < 10n ** 20n ? 2e-7 : 1e-8);

describe('planRoute', () => {
  test.each([
    ['exact-input', 30],
    ['exact-output', 31],
  ] as const)(
    'fair markets, %s -> no plan buys more for what is sold, to 1e-8 where it is split',
    (swapKind, seed) => {
      forAll([anyFairMarket, anyAmount], { seed, numRuns: 500 }, (market, amount) => {
        const found = planFor(market, swapKind, amount);
        fc.pre(found.kind === 'plan');
        // By weak duality: this needs no trust in the solver's convergence.
        const { bound } = solveDual(problemOf(market), Number(found.sellAmount));
        expect(Number(found.buyAmount)).toBeGreaterThan(bound * (1 - toleranceOf(amount)));
        expect(Number(found.buyAmount)).toBeLessThan(bound * (1 + 1e-9));
      });
    },
  );

  test('fair markets -> a search by trial finds nothing better, and not much worse', () => {
    forAll(
      [anyFairMarket, fc.integer({ min: 1, max: 3000 })],
      { seed: 32, numRuns: 60 },
      (market, size) => {
        const amount = BigInt(size) * 10n ** 20n;
        const found = planFor(market, 'exact-input', amount);
        fc.pre(found.kind === 'plan');
        const tried = Number(mostByTrial(market, SELL, BUY, amount));
        expect(Number(found.buyAmount)).toBeGreaterThan(tried * (1 - 1e-8));
        expect(tried).toBeGreaterThan(Number(found.buyAmount) * (1 - 1e-5));
      },
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
      const most = (input: number) => mostByExhaustion(market, SELL, BUY, BigInt(input)) ?? 0n;
      const found = planFor(market, 'exact-input', BigInt(amount));
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
