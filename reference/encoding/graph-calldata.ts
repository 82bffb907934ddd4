import type { RoutingPlan } from '../routing/plan.ts';
import { wordOf } from './abi.ts';
import type { SettlementOptions } from './encoder.ts';
import { encodeProgram } from './graph-program.ts';

/** Selector of `sellExactly((uint256,uint256,address,uint256,bool),address[],(uint256,uint256)[])`. */
const SELL_EXACTLY = '0xa763930b';
/** Selector of `buyExactly((uint256,uint256,address,uint256,bool),address[],(uint256,uint256)[])`. */
const BUY_EXACTLY = '0xfaece989';
/** The order's five words and the offsets of the two arrays. */
const HEAD_WORDS = 7;
const WORD_BYTES = 32;
const ONE_IN_BPS = 10_000n;

/**
 * Returns the calldata by which `GraphRouter` settles the plan.
 *
 * The limit is rounded in the user's favour: the least bought up, the most sold
 * down. A transaction that sells native carries `sell.amount` with exact input;
 * with exact output anything from what is really sold, of which the rest comes
 * back: `sell.amount` is enough while the market has not moved.
 */
export function encodeGraphCalldata(plan: RoutingPlan, options: SettlementOptions): `0x${string}` {
  const { tokens, swaps } = encodeProgram(plan);
  const limit = tradeLimit(plan, options.slippageBps);
  const sells = plan.swapKind === 'exact-input';
  const words = [
    sells ? plan.sellAmount : limit,
    sells ? limit : plan.buyAmount,
    BigInt(options.recipient ?? 0n),
    options.deadline,
    options.buyNative ? 1n : 0n,
    BigInt(HEAD_WORDS * WORD_BYTES),
    BigInt((HEAD_WORDS + 1 + tokens.length) * WORD_BYTES),
    BigInt(tokens.length),
    ...tokens.map(BigInt),
    BigInt(swaps.length),
    ...swaps.flatMap(({ hop, share }) => [hop, share]),
  ];
  return `${sells ? SELL_EXACTLY : BUY_EXACTLY}${words.map(wordOf).join('')}`;
}

/** Returns the least that may be bought of an exact input, or the most that may be sold for an exact output. */
export function tradeLimit(
  plan: Pick<RoutingPlan, 'swapKind' | 'sellAmount' | 'buyAmount'>,
  slippageBps: number,
): bigint {
  const slippage = BigInt(slippageBps);
  return plan.swapKind === 'exact-input'
    ? (plan.buyAmount * (ONE_IN_BPS - slippage) + ONE_IN_BPS - 1n) / ONE_IN_BPS
    : (plan.sellAmount * (ONE_IN_BPS + slippage)) / ONE_IN_BPS;
}
