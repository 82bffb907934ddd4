import type { RoutingPlan } from '../routing/plan.ts';
import { swapGas } from './swap-gas.ts';
import { transactionGas } from './transaction-gas.ts';
import type { Command } from './universal-commands.ts';

/** Entering the router and Permit2, and the recipient's new balance; fitted as `swapGas` is. */
const TRADE_GAS = 38_000;

/** One command: its payment and its reads of balances. */
const COMMAND_GAS = 19_000;

/** Tokens whose transfers do more than move a balance, and rounding of the fit. */
const MARGIN_PERCENT = 20;

/**
 * Returns a gas limit that holds while the market stands within the slippage
 * tolerance, up to 1 %: what the transaction, its bytes, its commands and its
 * swaps use at most, plus a fifth.
 */
export function gasLimitOf(
  plan: RoutingPlan,
  commands: readonly Command[],
  calldata: string,
  slippageBps: number,
): bigint {
  const swaps = plan.swaps.reduce((sum, swap) => sum + swapGas(swap, slippageBps), 0);
  const gas = transactionGas(calldata) + TRADE_GAS + commands.length * COMMAND_GAS + swaps;
  return BigInt(Math.ceil((gas * (100 + MARGIN_PERCENT)) / 100));
}
