import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forAll } from '../../../fixtures/testing/for-all.testing.ts';
import { loadEmbeddedMarkets } from '../../market/embedded-markets.ts';
import type { Address } from '../domain/address.ts';
import type { NoRoute, RoutingPlan, SwapKind } from '../graph/plan.ts';
import {
  anyMarket,
  constraintsOf,
  marketsToTheUnit,
  planFor,
  roundedByVault,
} from '../planner.testing.ts';
import type { PoolMarket } from '../prices/pool-market.ts';

type Planned = (swapKind: SwapKind, amount: bigint) => RoutingPlan | NoRoute;

describe('exact output of the amount that an exact input bought -> its cost', () => {
  test('any market, up to 100,000 times its holdings -> no more, to a base unit per swap', () => {
    const anyDrain = fc.integer({ min: 200, max: 290 }).map((size) => BigInt(10 ** (size / 10)));
    forAll([anyMarket, anyDrain], { seed: 20, numRuns: 500 }, (market, amount) => {
      expectNoDearer(amount, (swapKind, exact) => planFor(market, swapKind, exact));
    });
  });

  const anyTradeIn = (markets: readonly PoolMarket[]) =>
    fc
      .constantFrom(...markets)
      .chain((market) =>
        fc.tuple(
          fc.constant(market),
          fc.shuffledSubarray([...market.tokens.keys()], { minLength: 2, maxLength: 2 }),
          fc.double({ min: 0, max: 1, noNaN: true }),
        ),
      );

  test('embedded markets, up to 10,000 times their holdings -> no more, to a base unit per swap', () => {
    const anyTrade = anyTradeIn(marketsToTheUnit());
    forAll([anyTrade], { seed: 20, numRuns: 1500 }, ([market, [sellToken, buyToken], part]) => {
      if (sellToken === undefined || buyToken === undefined) throw new Error('no pair');
      const amount = BigInt(Math.round((1e4 * heldOf(market, sellToken)) ** part));
      expectNoDearer(amount, (swapKind, exact) =>
        planFor(market, swapKind, exact, { sellToken, buyToken }),
      );
    });
  });

  test("with the Vault's pools, up to a third of the holdings -> no more, except for their contracts' rounding", () => {
    const anyTrade = anyTradeIn(loadEmbeddedMarkets());
    forAll([anyTrade], { seed: 20, numRuns: 100 }, ([market, [sellToken, buyToken], part]) => {
      if (sellToken === undefined || buyToken === undefined) throw new Error('no pair');
      const amount = BigInt(Math.round((heldOf(market, sellToken) / 3) ** part));
      const pair = { sellToken, buyToken, constraints: constraintsOf(market) };
      expectNoDearer(
        amount,
        (swapKind, exact) => planFor(market, swapKind, exact, pair),
        (plan) =>
          roundedByVault(
            market,
            { ...pair, swapKind: 'exact-output', amount: plan.buyAmount },
            plan,
          ),
      );
    });
  });
});

function heldOf({ pools }: PoolMarket, token: Address): number {
  let held = 1;
  for (const pool of pools) {
    if (pool.family !== 'constant-product') continue;
    if (pool.token0 === token) held += Number(pool.reserve0);
    if (pool.token1 === token) held += Number(pool.reserve1);
  }
  return held;
}

/**
 * Expects that an exact output costs at most as much as the exact input that bought it, except for
 * rounding. Allows one base unit per swap, in the sell token or in the value of the buy token, and
 * the pools' own rounding in the sell token.
 */
function expectNoDearer(
  sellAmount: bigint,
  planned: Planned,
  roundedBy: (plan: RoutingPlan) => number = () => 0,
): void {
  const sold = planned('exact-input', sellAmount);
  fc.pre(sold.kind === 'plan');
  const bought = planned('exact-output', sold.buyAmount);
  if (bought.kind !== 'plan') throw new Error(bought.reason);
  const swaps = BigInt(bought.swaps.length);
  if (bought.sellAmount <= sellAmount + swaps) return;
  const again = planned('exact-input', bought.sellAmount);
  if (again.kind !== 'plan') throw new Error(again.reason);
  const rounded = BigInt(Math.ceil(roundedBy(bought)));
  expect(again.buyAmount - sold.buyAmount).toBeLessThanOrEqual(swaps + rounded);
}
