import { afterExactInput } from '../pools/families.ts';
import type { ConcentratedPool } from '../pools/pool.ts';
import type { PlanSwap } from '../routing/plan.ts';

/** What a swap of each family costs at most beside what its price crosses: the pool's own writes, and the payout. */
const PAIR_GAS = 90_000;
const RANGE_GAS = 120_000;

/** A crossed tick rewrites what its outside grew by, and changes the liquidity. */
const TICK_GAS = 27_000;

/** A word of the tick bitmap that holds no tick on the way costs a read and a step. */
const WORD_GAS = 6_000;

/**
 * Returns an upper bound of the gas one swap uses inside its pool, token
 * transfers included. A swap may cross one tick and one word more than planned,
 * since the price may have moved before it is mined.
 */
export function swapGas({ pool, tokenIn, amountIn }: PlanSwap): number {
  switch (pool.family) {
    case 'constant-product':
      return PAIR_GAS;
    case 'concentrated': {
      const after = afterExactInput(pool, tokenIn, amountIn);
      const end = after.family === 'concentrated' ? after.tick : pool.tick;
      const ticks = 1 + ticksBetween(pool, end);
      const words = 1 + wordsBetween(pool, end);
      return RANGE_GAS + ticks * TICK_GAS + words * WORD_GAS;
    }
  }
}

function ticksBetween({ ticks, tick }: ConcentratedPool, end: number): number {
  const low = Math.min(tick, end);
  const high = Math.max(tick, end);
  return ticks.filter(({ index }) => index > low && index <= high).length;
}

/** Ticks of one word of the pool's bitmap, in multiples of its tick spacing. */
const TICKS_PER_WORD = 256;

function wordsBetween({ tick, tickSpacing }: ConcentratedPool, end: number): number {
  const wordOf = (index: number) => Math.floor(index / (tickSpacing * TICKS_PER_WORD));
  return Math.abs(wordOf(end) - wordOf(tick));
}
