import { describe, expect, test } from 'vitest';
import { BUY, marketOf, pairPool, SELL, tokenOf } from '../../reference/planner/planner.testing.ts';
import { swapExactInput } from '../../reference/planner/pools/families.ts';
import { bestSinglePath } from './routing-baselines.ts';

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
