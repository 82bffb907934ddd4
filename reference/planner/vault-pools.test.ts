import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forAll } from '../../fixtures/testing/for-all.testing.ts';
import { parseAddress } from './domain/address.ts';
import { TOPOLOGIES } from './graph/plan.ts';
import {
  constraintsOf,
  faultsOf,
  marketOf,
  pairPool,
  planFor,
  tokenOf,
} from './planner.testing.ts';
import { type Pool, swapExactInput, swapExactOutput } from './pools/families.ts';
import { anyStablePool, anyWeightedPool } from './pools/pools.testing.ts';

const ends = [0, 3] as const;

/** Markets of pools that have up to four tokens, all drawn from the same four. */
const anyVaultMarket = fc
  .tuple(fc.array(anyStablePool, { minLength: 1, maxLength: 2 }), anyWeightedPool)
  .map(([stable, weighted]) => [...stable, weighted])
  .map((several) =>
    several.map((pool, index): Pool => {
      const skipped = pool.tokens.length > 2 ? 0 : index % 2;
      const count = Math.min(4, pool.tokens.length);
      const cut = <Value>(values: readonly Value[]) => values.slice(0, count);
      return {
        ...pool,
        address: parseAddress(`0x${(0xa0 + index).toString(16).padStart(40, '0')}`),
        source: 'Test',
        tokens: cut(pool.tokens).map((_, place) =>
          tokenOf(count === 2 ? (ends[place] ?? 0) : place + skipped),
        ),
        balances: cut(pool.balances),
        scales: cut(pool.scales),
        ...('weights' in pool && { weights: cut(pool.weights) }),
      };
    }),
  )
  .map((pools) =>
    marketOf([
      ...pools,
      pairPool([0, 1], 10n ** 21n, 10n ** 21n),
      pairPool([1, 3], 10n ** 21n, 10n ** 21n),
      pairPool([0, 2], 10n ** 20n, 10n ** 20n),
      pairPool([2, 3], 10n ** 20n, 10n ** 20n),
    ]),
  );

describe('plans over pools of several tokens', () => {
  test('any trade -> conserved and acyclic, no pool is used twice, and each swap has the exact amounts of its pool', () => {
    const request = fc.record({
      swapKind: fc.constantFrom('exact-input' as const, 'exact-output' as const),
      topology: fc.constantFrom(...TOPOLOGIES),
      size: fc.integer({ min: 30, max: 215 }),
    });
    let planned = 0;
    forAll(
      [anyVaultMarket, request],
      { seed: 7, numRuns: 60 },
      (market, { swapKind, topology, size }) => {
        const constraints = constraintsOf(market, topology);
        const found = planFor(market, swapKind, BigInt(Math.round(10 ** (size / 10))), {
          constraints,
        });
        if (found.kind !== 'plan') return;
        planned++;
        expect(faultsOf(found)).toEqual([]);
        for (const swap of found.swaps) {
          const { amountIn, amountOut } = swap;
          const settled =
            swapKind === 'exact-input'
              ? swapExactInput(swap, amountIn)
              : swapExactOutput(swap, amountOut);
          expect(settled).toEqual({ kind: 'filled', amountIn, amountOut });
        }
      },
    );
    expect(planned).toBeGreaterThan(20);
  });
});
