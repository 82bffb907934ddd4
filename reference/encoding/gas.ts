import { afterExactInput } from '../pools/families.ts';
import type { ConcentratedPool } from '../pools/pool.ts';
import type { PlanSwap } from '../routing/plan.ts';

/*
 * Gas as `eth_estimateGas` sees it: fitted by least squares to 270 random plans
 * through the Universal Router on the fixture chain, rounded up. Every slot is
 * written for the first time there, which is the dearest that a swap can be.
 */
const PAIR_GAS = 95_000;
const RANGE_GAS = 78_000;
const TICK_GAS = 40_000;
/** One more word of the tick bitmap. */
const WORD_GAS = 7_600;

/** Farthest that a price is expected to move before the transaction is mined, in ticks; a tick is a basis point. */
const MAX_DRIFT_TICKS = 100;

/**
 * Returns the gas one swap uses with its token transfers, wherever the price
 * starts within the slippage tolerance, up to 1 %: every tick and every word of
 * the bitmap that it may cross is counted.
 */
export function swapGas({ pool, tokenIn, amountIn }: PlanSwap, slippageBps: number): number {
  switch (pool.family) {
    case 'constant-product':
      return PAIR_GAS;
    case 'concentrated': {
      const after = afterExactInput(pool, tokenIn, amountIn);
      const end = after.family === 'concentrated' ? after.tick : pool.tick;
      const drift = Math.min(slippageBps, MAX_DRIFT_TICKS);
      const low = Math.min(pool.tick, end) - drift;
      const high = Math.max(pool.tick, end) + drift;
      return (
        RANGE_GAS +
        ticksBetween(pool, low, high) * TICK_GAS +
        wordsBetween(pool, low, high) * WORD_GAS
      );
    }
  }
}

function ticksBetween({ ticks }: ConcentratedPool, low: number, high: number): number {
  return ticks.filter(({ index }) => index > low && index <= high).length;
}

/** Ticks of one word of the pool's bitmap, in multiples of its tick spacing. */
const TICKS_PER_WORD = 256;

function wordsBetween({ tickSpacing }: ConcentratedPool, low: number, high: number): number {
  const wordOf = (index: number) => Math.floor(index / (tickSpacing * TICKS_PER_WORD));
  return wordOf(high) - wordOf(low);
}

const TRANSACTION_GAS = 21_000;
const ZERO_BYTE_GAS = 4;
const OTHER_BYTE_GAS = 16;

/** Returns the gas of any transaction with that calldata, before anything runs. */
export function transactionGas(calldata: string): number {
  let gas = TRANSACTION_GAS;
  for (let at = 2; at < calldata.length; at += 2) {
    gas += calldata.startsWith('00', at) ? ZERO_BYTE_GAS : OTHER_BYTE_GAS;
  }
  return gas;
}

/** Tokens whose transfers do more than move a balance, and rounding of the fit. */
const MARGIN_PERCENT = 20;

/** Returns the gas limit of a transaction that uses `gas` at most, with a margin. */
export function gasLimitOf(gas: number): bigint {
  return BigInt(Math.ceil((gas * (100 + MARGIN_PERCENT)) / 100));
}
