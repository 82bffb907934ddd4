import { describe, expect, test } from 'vitest';
import {
  BUY,
  marketOf,
  pairPool,
  planFor,
  SELL,
  tokenOf,
} from '../../reference/planner/planner.testing.ts';
import { swapExactInput } from '../../reference/planner/pools/families.ts';
import { bestSinglePath, equalChunks } from './routing-baselines.ts';

const AMOUNT = 10n ** 19n;
const pools = [1n, 2n].map((depth) => pairPool([0, 3], depth * 10n ** 20n, depth * 10n ** 20n));
const detour = [pairPool([0, 1], 10n ** 20n, 10n ** 20n), pairPool([1, 3], 10n ** 20n, 10n ** 20n)];
const market = marketOf([...pools, ...detour]);

describe('bestSinglePath', () => {
  test('pools of different depth -> the whole amount through the deeper pool', () => {
    const [, deeper] = pools;
    if (deeper === undefined) throw new Error('no pool');
    const { amountOut } = swapExactInput({ pool: deeper, tokenIn: SELL, tokenOut: BUY }, AMOUNT);
    expect(bestSinglePath(market)(SELL, BUY, AMOUNT)).toBe(amountOut);
  });

  test('no pools between the tokens -> an output of 0', () => {
    expect(bestSinglePath(market)(SELL, tokenOf(2), AMOUNT)).toBe(0n);
  });
});

describe('equalChunks', () => {
  test('more chunks -> a larger output, but never more than the planner finds', () => {
    const bought = [1, 4, 20, 100].map((chunks) => equalChunks(market, chunks)(SELL, BUY, AMOUNT));
    expect(bought).toEqual([...bought].sort((a, b) => (a < b ? -1 : 1)));
    const found = planFor(market, 'exact-input', AMOUNT);
    if (found.kind !== 'plan') throw new Error(found.reason);
    expect(found.buyAmount).toBeGreaterThan(bought.at(-1) ?? 0n);
    expect(Number(bought.at(-1)) / Number(found.buyAmount)).toBeGreaterThan(0.9999);
  });
});
