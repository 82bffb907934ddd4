import { concatHex, numberToHex, zeroAddress } from 'viem';
import type { PlanSwap, RoutingPlan } from '../planner/graph/plan.ts';
import { familyOf } from '../planner/pools/families.ts';
import type { RouterEncoder, SettlementOptions } from './encoder.ts';
import { gasLimitOf, swapGas, transactionGas } from './gas.ts';
import { encodeProgram } from './graph-program.ts';
import { encodeCall } from './router-abi.ts';
import { maxSoldFor, minBoughtFor } from './slippage.ts';

/*
 * Gas that a transaction uses in addition to its swaps, as `eth_estimateGas` reports. The values
 * were fitted by least squares to 600 random plans on the fixture chain, where every slot is
 * written for the first time, and rounded up.
 */
/** Gas of the checks, the calls to token contracts, and the recipient's new balance. */
const TRADE_GAS = 43_000;
/** Additional gas of a swap nested in another. */
const NESTED_SWAP_GAS = 2_000;
const WRAP_GAS = 26_000;
const UNWRAP_GAS = 17_000;
/** Gas of the first call to the token proxy. Later calls cost little. */
const TOKEN_PROXY_GAS = 5_500;
const PULL_GAS = 2_000;
const FORWARD_GAS = 8_500;
/** Gas for the calldata of a swap: two words with some zero bytes. */
const WORDS_GAS = 800;
/**
 * A transaction may have a gas limit of up to 2^24, which includes a margin. With 100 swaps, each
 * swap can use 139,000 gas, as much as a swap that crosses a tick of a concentrated pool.
 * @see https://eips.ethereum.org/EIPS/eip-7825
 */
const MAX_GRAPH_SWAPS = 100;

/**
 * Encodes any acyclic plan for the contracts that extend `GraphRouter`: `DefaultRouter`, which
 * the user approves directly, and `ServiceRouter`, which receives tokens through its token proxy.
 */
export const graphRouter: RouterEncoder = {
  topology: 'graph',
  maxSwaps: MAX_GRAPH_SWAPS,
  swapGas: { first: PULL_GAS + WORDS_GAS, later: FORWARD_GAS + WORDS_GAS },
  settles: () => true,
  encode: (plan, options) => {
    const calldata = encodeCalldata(plan, options);
    return { calldata, gasLimit: graphGasLimit(plan, calldata, options) };
  },
};

/**
 * With exact input, a transaction that sells the native token carries exactly `sell.amount`. With
 * exact output, the transaction carries at least the amount sold, and the router returns the rest.
 * `sell.amount` suffices while the market has not moved.
 */
function encodeCalldata(plan: RoutingPlan, options: SettlementOptions): `0x${string}` {
  const { sellAmount, buyAmount, swapKind } = plan;
  const sells = swapKind === 'exact-input';
  const limit = sells
    ? minBoughtFor(buyAmount, options.slippageBps)
    : maxSoldFor(sellAmount, options.slippageBps);
  const order = {
    sellAmount: sells ? sellAmount : limit,
    buyAmount: sells ? limit : buyAmount,
    recipient: options.recipient ?? zeroAddress,
    deadline: options.deadline,
    unwrap: options.buyNative,
  };
  const { tokens, swaps, quotes } = encodeProgram(plan);
  if (quotes.length === 0) {
    return encodeCall(sells ? 'sellExactly' : 'buyExactly', [order, tokens, swaps]);
  }
  const words = quotes.map((quote) =>
    concatHex(quote.map((word) => numberToHex(word, { size: 32 }))),
  );
  return encodeCall(sells ? 'sellWithQuotes' : 'buyWithQuotes', [order, tokens, swaps, words]);
}

/** Returns a gas limit that suffices while prices stay within the slippage tolerance, up to 1%. */
function graphGasLimit(
  plan: RoutingPlan,
  calldata: `0x${string}`,
  { router, sellNative, buyNative, slippageBps }: SettlementOptions,
): bigint {
  const isOutput = plan.swapKind === 'exact-output';
  const nested = ({ pool }: PlanSwap) =>
    isOutput ? NESTED_SWAP_GAS + (familyOf(pool).graphRouter.queryGas?.(pool) ?? 0) : 0;
  const trade =
    transactionGas(calldata) +
    TRADE_GAS +
    (sellNative ? WRAP_GAS : 0) +
    (buyNative ? UNWRAP_GAS : 0) +
    (router.tokenProxy && !sellNative ? TOKEN_PROXY_GAS : 0);
  const gas = plan.swaps.reduce(
    (sum, swap) =>
      sum +
      (swap.tokenIn === plan.sellToken ? PULL_GAS : FORWARD_GAS) +
      nested(swap) +
      swapGas(swap, slippageBps),
    trade,
  );
  return gasLimitOf(gas);
}
