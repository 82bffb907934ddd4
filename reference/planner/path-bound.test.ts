import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SwapKind } from './graph/plan.ts';
import { bestByPaths } from './path-sets.testing.ts';
import {
  anyPair,
  BUY,
  constraintsOf,
  marketOf,
  pairPool,
  planFor,
  rangePool,
  SELL,
  tokenOf,
} from './planner.testing.ts';
import { nativeOf, type Pool } from './pools/families.ts';
import type { PoolMarket } from './prices/pool-market.ts';

/** Scale of the buy token. Its base unit is worth so little that rounding hardly matters. */
const UNIT = 10n ** 12n;
const UNIT_TICKS = 276_324;

type Spec = {
  readonly tokens: readonly [number, number];
  readonly depth: number;
  readonly skewTicks: number;
  readonly kind: 'pair' | 'manager' | 'native';
};

/**
 * Pools hold few base units of every token except the buy token. Some Uniswap V4 pools trade the
 * native token instead of `wrapped`.
 */
const anyTinyMarket = fc
  .record({
    wrapped: fc.constantFrom(0, 1, 3),
    specs: fc.array(
      fc.record({
        tokens: anyPair,
        depth: fc.integer({ min: 20, max: 400 }),
        skewTicks: fc.integer({ min: -300, max: 300 }),
        kind: fc.constantFrom('pair' as const, 'manager' as const, 'native' as const),
      }),
      { minLength: 2, maxLength: 5 },
    ),
  })
  .map(({ wrapped, specs }) => marketOf(specs.map((spec, at) => poolOf(spec, wrapped, at))));

function poolOf({ tokens, depth, skewTicks, kind }: Spec, wrapped: number, at: number): Pool {
  const isNative = kind === 'native' && tokens.includes(wrapped);
  const [first, last] = isNative && tokens[1] === wrapped ? tokens.toReversed() : tokens;
  const [a, b] = [first ?? 0, last ?? 0];
  const ticks = (b === 3 ? UNIT_TICKS : a === 3 ? -UNIT_TICKS : 0) + skewTicks;
  const [unitA, unitB] = [a, b].map((token) => (token === 3 ? UNIT : 1n)) as [bigint, bigint];
  if (kind === 'pair') {
    const skewed = BigInt(Math.round(depth * 1.0001 ** skewTicks * 1e6));
    return pairPool([a, b], BigInt(depth) * unitA, (skewed * unitB) / 1_000_000n);
  }
  const liquidity = BigInt(Math.round(depth * Math.sqrt(Number(unitA * unitB)))) * 4n;
  const pool = rangePool([a, b], ticks, liquidity) as Pool & { family: 'concentrated' };
  const poolId = `0x${at.toString(16).padStart(64, '0')}`;
  return { ...pool, family: 'singleton', poolId, isNative, protocolFee: 0 };
}

describe('paths through Uniswap V4 pools and pairs, for a few base units', () => {
  test.each([
    ['exact-input', 35, 120],
    ['exact-output', 36, 300],
  ] as const)(
    '%s -> only paths that the router settles; below the best by at most a base unit per swap, plus one',
    (swapKind, seed, numRuns) => {
      const trades = fc.sample(fc.tuple(anyTinyMarket, fc.integer({ min: 3, max: 9 })), {
        seed,
        numRuns,
      });
      const counts = { planned: 0, best: 0, native: 0 };
      for (const [market, size] of trades) judge(market, swapKind, size, counts);
      expect(counts.planned).toBeGreaterThan(numRuns / 2);
      expect(counts.native).toBeGreaterThan(numRuns / 20);
      expect(counts.best / counts.planned).toBeGreaterThan(0.9);
    },
  );
});

function judge(
  market: PoolMarket,
  swapKind: SwapKind,
  size: number,
  counts: { planned: number; best: number; native: number },
): void {
  const sells = swapKind === 'exact-input';
  const amount = sells ? BigInt(size) : BigInt(size) * UNIT;
  const bestOf = (exact: bigint) => bestByPaths(market, [SELL, BUY], swapKind, exact);
  const found = planFor(market, swapKind, amount, { constraints: constraintsOf(market, 'paths') });
  const best = bestOf(amount);
  if (found.kind !== 'plan') {
    expect(bestOf(amount + (sells ? -2n : 2n * UNIT))).toBeUndefined();
    return;
  }
  if (best === undefined)
    throw new Error(`a plan that sells ${tokenOf(0)}, although no path exists`);
  counts.planned++;
  if (found.swaps.some(({ pool }) => nativeOf(pool) !== undefined)) counts.native++;
  const [own, other] = sells ? [found.buyAmount, best] : [best, found.sellAmount];
  expect(own).toBeLessThanOrEqual(other);
  if (own === other) counts.best++;
  const rounded = BigInt(found.swaps.length + 1);
  if (sells) expect(own).toBeGreaterThanOrEqual(bestOf(amount - rounded) ?? 0n);
  else expect(found.sellAmount).toBeLessThanOrEqual(best + rounded);
}
