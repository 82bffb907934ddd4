import { decodeFunctionResult, encodeFunctionData, type Hex, parseAbi } from 'viem';
import type { SwapPlan } from '../model/settlement.ts';
import type { Address } from '../model/trade-request.ts';
import { bytecodeOf } from './bytecode.ts';
import type { ForkSession } from './fork-session.ts';
import { quantity, undefinedIfRejected } from './json-rpc.ts';
import { undefinedIfNodeFailed } from './node-losses.ts';
import { orderSteps } from './pool-trader.ts';
import { readAddress } from './read-swap-plan.ts';
import type { UserCall } from './send.ts';
import { EARLIER_GAS } from './simulate.ts';

const ABI = parseAbi([
  'struct Swap { address pool; address from; address to; uint256 amount; bool takesRest; }',
  'function trade(Swap[] swaps, uint256 times, uint256 parts)',
  'function quote(Swap[] earlier, uint256 earlierTimes, Swap[] swaps, uint256 times, uint256 parts, address bought) returns (uint256)',
]);

/** The account that trades directly with pools; its key is unknown. */
const TRADER: Address = '0x00000000000000000000000000000000c0ffee04';
/** Its code, which is written to forks. */
export const TRADER_OVERRIDES = { [TRADER]: { code: bytecodeOf('direct-trader') } } as const;
/** Number of parts of a plan's amounts; the size of earlier trades is counted in parts. */
export const PARTS = 1_000_000n;

/** A swap with a pool, in the format of the contract. */
type DirectSwap = {
  readonly pool: Address;
  readonly from: Address;
  readonly to: Address;
  readonly amount: bigint;
  readonly takesRest: boolean;
};

/** Swaps that move the price of a plan, in its own direction or in the other. */
export type PriceMover = {
  /** Returns the call that sells the given parts. */
  readonly sell: (parts: bigint) => UserCall;
  /**
   * Returns what the plan yields after each number of parts was sold, if `times`
   * parts of the plan are sold; undefined if that fails.
   */
  readonly yieldsAfter: (
    sold: readonly bigint[],
    times?: bigint,
  ) => Promise<readonly (bigint | undefined)[]>;
};

/**
 * Returns direct swaps in a plan's direction, which worsen its price, or the reason why they are not
 * possible: each pool must be a pair, or use Uniswap's callbacks. `maxParts` is the maximum that will
 * be sold.
 */
export async function tradeDirectly(
  session: ForkSession,
  plan: SwapPlan,
  maxParts: bigint,
): Promise<PriceMover | string> {
  return moverOf(session, plan, plan, maxParts);
}

/** Returns direct swaps against a plan's direction, which improve its price, or the reason why they are not possible. */
export async function tradeInReverse(
  session: ForkSession,
  plan: SwapPlan,
  maxParts: bigint,
): Promise<PriceMover | string> {
  const steps = plan.steps.map((step) => ({ ...step, from: step.to, to: step.from }));
  return moverOf(session, plan, { ...plan, sell: plan.buy, buy: plan.sell, steps }, maxParts);
}

async function moverOf(
  session: ForkSession,
  plan: SwapPlan,
  moving: SwapPlan,
  maxParts: bigint,
): Promise<PriceMover | string> {
  const [swaps, earlier] = [swapsOf(plan), swapsOf(moving)];
  if (typeof swaps === 'string') return swaps;
  if (typeof earlier === 'string') return earlier;
  // The plan itself is sold at up to twice its amount.
  const needs = [
    { token: plan.sell.token, amount: plan.sell.amount * 3n },
    { token: moving.sell.token, amount: (moving.sell.amount * (maxParts + PARTS)) / PARTS },
  ];
  const missing = await fundTrader(session, needs);
  if (missing !== undefined) return missing;
  const { token } = plan.buy;
  const yieldsAfter: PriceMover['yieldsAfter'] = (all, times = PARTS) =>
    Promise.all(
      all.map((sold) => quote(session, [earlier, sold, swaps, times, PARTS, token] as const)),
    );
  const [unmoved] = await yieldsAfter([0n]);
  if (unmoved === undefined) return 'one of its pools is neither V2-like nor V3-like';
  return { sell: (parts) => tradeCall(earlier, parts), yieldsAfter };
}

/** Returns the call that sells the given parts of some swaps. */
function tradeCall(swaps: readonly DirectSwap[], parts: bigint): UserCall {
  const args = [swaps, parts, PARTS] as const;
  const data = encodeFunctionData({ abi: ABI, functionName: 'trade', args });
  return { to: TRADER, value: 0n, data };
}

/** Returns the result of the contract's `quote`; undefined if it fails. */
async function quote(
  session: ForkSession,
  args: readonly [
    earlier: readonly DirectSwap[],
    sold: bigint,
    swaps: readonly DirectSwap[],
    times: bigint,
    parts: bigint,
    bought: Address,
  ],
): Promise<bigint | undefined> {
  const data = encodeFunctionData({ abi: ABI, functionName: 'quote', args });
  const override = TRADER_OVERRIDES;
  const call = { from: TRADER, to: TRADER, data, gas: quantity(EARLIER_GAS) };
  const returned = await undefinedIfNodeFailed(() =>
    undefinedIfRejected(session.rpc()<Hex>('eth_call', [call, 'latest', override])),
  );
  if (returned === undefined) return undefined;
  return decodeFunctionResult({ abi: ABI, functionName: 'quote', data: returned });
}

/** Funds the trader, and returns the tokens with which that failed. */
async function fundTrader(
  session: ForkSession,
  needs: readonly { readonly token: Address; readonly amount: bigint }[],
): Promise<string | undefined> {
  const sums = new Map<Address, bigint>();
  for (const { token, amount } of needs) sums.set(token, (sums.get(token) ?? 0n) + amount);
  for (const [token, amount] of sums) {
    const isGiven = await undefinedIfNodeFailed(() => session.fund(TRADER, token, amount));
    if (isGiven !== true) return `no way was found to give anyone ${amount} of ${token}`;
  }
  return undefined;
}

/** Returns a plan's swaps in order, or the reason why they cannot be made. */
function swapsOf(plan: SwapPlan): readonly DirectSwap[] | string {
  const ordered = orderSteps(plan);
  if (ordered === undefined) return 'its swaps form a cycle';
  const swaps = ordered.flatMap(({ pool, from, to }, index): readonly DirectSwap[] => {
    const [address, sold, bought] = [readAddress(pool), from[0], to[0]];
    if (address === undefined || !sold || !bought || from.length + to.length > 2) return [];
    const isLast = !ordered.slice(index + 1).some((later) => later.from[0]?.token === sold.token);
    const takesRest = isLast && sold.token !== plan.sell.token;
    return [{ pool: address, from: sold.token, to: bought.token, amount: sold.amount, takesRest }];
  });
  const isWhole = swaps.length === ordered.length;
  return isWhole ? swaps : 'one of its pools has more than two tokens, or no address';
}
