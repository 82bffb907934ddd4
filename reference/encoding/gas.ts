import type { PlanSwap } from '../planner/graph/plan.ts';
import { curveOf } from '../planner/pools/families.ts';

/** Maximum price movement until the transaction is mined, in ticks of one basis point. */
const MAX_DRIFT_TICKS = 100;

/**
 * Returns the gas for one swap and its token transfers. This gas suffices at any starting price
 * within the slippage tolerance, up to 1%.
 */
export function swapGas(swap: PlanSwap, slippageBps: number): number {
  return curveOf(swap).gas(swap.amountIn, Math.min(slippageBps, MAX_DRIFT_TICKS));
}

const TRANSACTION_GAS = 21_000;
const ZERO_BYTE_GAS = 4;
const OTHER_BYTE_GAS = 16;
const ZERO = '0'.charCodeAt(0);

/** Returns the intrinsic gas of a transaction with this calldata. */
export function transactionGas(calldata: string): number {
  let gas = TRANSACTION_GAS;
  for (let at = 2; at < calldata.length; at += 2) {
    const isZero = calldata.charCodeAt(at) === ZERO && calldata.charCodeAt(at + 1) === ZERO;
    gas += isZero ? ZERO_BYTE_GAS : OTHER_BYTE_GAS;
  }
  return gas;
}

/** Covers tokens whose transfers do more than move a balance, and the rounding of fitted values. */
const MARGIN_PERCENT = 20;

/** Returns a gas limit for a transaction that uses at most `gas`, with a margin. */
export function gasLimitOf(gas: number): bigint {
  return BigInt(Math.ceil((gas * (100 + MARGIN_PERCENT)) / 100));
}
