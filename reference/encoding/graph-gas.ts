import type { RoutingPlan } from '../routing/plan.ts';
import type { SettlementOptions } from './encoder.ts';
import { swapGas } from './swap-gas.ts';
import { transactionGas } from './transaction-gas.ts';

/*
 * What a settlement needs beside its swaps, as `eth_estimateGas` sees it: fitted
 * by least squares to 600 random plans on the fixture chain, where every slot is
 * written for the first time, and rounded up.
 */
/** Checks, the contracts of the tokens, and the receiver's new balance. */
const TRADE_GAS = 43_000;
/** What nesting one swap in another adds. */
const NESTED_SWAP_GAS = 2_000;
const WRAP_GAS = 26_000;
const UNWRAP_GAS = 17_000;
/** The first call of the token proxy; later ones cost little. */
const TOKEN_PROXY_GAS = 5_500;
/** The user pays a pool. */
const PULL_GAS = 2_000;
/** The router pays a pool what it holds. */
const FORWARD_GAS = 8_500;

/** Tokens whose transfers do more than move a balance, and rounding of the fit. */
const MARGIN_PERCENT = 20;

/** What of a settlement its gas depends on, beside the plan. */
export type GasOptions = Pick<SettlementOptions, 'sellNative' | 'buyNative' | 'slippageBps'> & {
  /** The user's tokens come through a token proxy. */
  readonly throughProxy: boolean;
};

/**
 * Returns a gas limit that holds while the market stands within the slippage
 * tolerance, up to 1 %: what the transaction, its bytes, its payments and its
 * swaps use at most, plus a fifth.
 */
export function graphGasLimit(
  plan: RoutingPlan,
  calldata: `0x${string}`,
  { sellNative, buyNative, slippageBps, throughProxy }: GasOptions,
): bigint {
  const nested = plan.swapKind === 'exact-output' ? NESTED_SWAP_GAS : 0;
  const trade =
    transactionGas(calldata) +
    TRADE_GAS +
    (sellNative ? WRAP_GAS : 0) +
    (buyNative ? UNWRAP_GAS : 0) +
    (throughProxy && !sellNative ? TOKEN_PROXY_GAS : 0);
  const gas = plan.swaps.reduce(
    (sum, swap) =>
      sum +
      (swap.tokenIn === plan.sellToken ? PULL_GAS : FORWARD_GAS) +
      nested +
      swapGas(swap, slippageBps),
    trade,
  );
  return BigInt(Math.ceil((gas * (100 + MARGIN_PERCENT)) / 100));
}
