import type { Ask } from './ask.ts';
import type { SwapPlan } from './swap-plan.ts';

/**
 * Returns the most that a plan may sell: `sell.amount`, and for exact output
 * that raised by the slippage tolerance, rounded down.
 */
export function mostSold({ trade, slippageBps = 0 }: Ask, { sell }: SwapPlan): bigint {
  return trade === 'exact-input'
    ? sell.amount
    : (sell.amount * BigInt(10_000 + slippageBps)) / 10_000n;
}

/** Returns the least that a plan may buy: what exact output asked for, else `buy.amount` less the tolerance, rounded down. */
export function leastBought({ trade, amount, slippageBps = 0 }: Ask, { buy }: SwapPlan): bigint {
  return trade === 'exact-output' ? amount : (buy.amount * BigInt(10_000 - slippageBps)) / 10_000n;
}
