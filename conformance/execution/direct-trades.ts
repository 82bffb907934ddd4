import { encodeFunctionData, type Hex, parseAbi } from 'viem';
import type { Effects, SettledPlan, SwapPlan, UserCall } from '../model/settlement.ts';
import type { Address } from '../model/trade-request.ts';
import { bytecodeOf } from './bytecode.ts';
import { orderSteps } from './encode-universal.ts';
import type { ForkSession } from './fork-session.ts';
import { fundToken } from './funding.ts';
import { transferCall } from './inspect-tokens.ts';
import { readAddress } from './read-swap-plan.ts';
import { type Replay, type ReplayRequest, replayAll } from './replay.ts';
import type { PlannedTrade } from './try-trades.ts';

const ABI = parseAbi([
  'struct Swap { address pool; address from; address to; uint256 amount; bool takesRest; }',
  'function trade(Swap[] swaps, uint256 times, bool isWhole, uint256 parts)',
]);
/** `deposit()` of wrapped native. */
const WRAP: Hex = '0xd0e30db0';

/** Where the number of parts stands in the calldata of `trade`, and whether it is whole: after the selector and one word. */
const TIMES_AT = 2 + 8 + 64;

/** The account that trades with pools itself: no one holds its key. */
const TRADER: Address = '0x00000000000000000000000000000000c0ffee04';
/** Its code, for calls that it is to make trades in. */
export const TRADER_CODE = { [TRADER]: bytecodeOf('direct-trader') } as const;
/** Parts of what a plan sells, in which trades beside it are counted. */
export const PARTS = 1_000_000n;

/** A plan that was found to be traded with its pools alone, through no router. */
export type DirectTrades = {
  /** The call that sells so many parts of what the plan sells, for another than the user. */
  readonly sell: (parts: bigint) => UserCall;
  /** What the plan yields after so many parts were sold, where `times` parts of it are sold; undefined where it fails. */
  readonly yieldsAfter: (
    sold: readonly bigint[],
    times?: bigint,
  ) => Promise<readonly (bigint | undefined)[]>;
};

/**
 * Returns how to trade a plan with its pools, or why that is not possible: all
 * must be pairs, or pools that call back, as Uniswap's do.
 */
export async function tradeDirectly(
  session: ForkSession,
  user: Address,
  plan: SwapPlan,
  mostParts: bigint,
): Promise<DirectTrades | string> {
  const sell = salesOf(plan);
  if (typeof sell === 'string') return sell;
  const { sell: sold, buy: bought } = plan;
  const most = sold.amount * 2n + (sold.amount * (mostParts + PARTS)) / PARTS;
  if ((await fundToken(session.rpc(), sold.token, TRADER, most)) === undefined) {
    return `no way was found to give anyone ${most} of ${sold.token}`;
  }
  const request = (parts: bigint, times: bigint): ReplayRequest => ({
    user,
    earlier: parts === 0n ? [] : [sell(parts)],
    trade: sell(times, true),
    tokens: [bought.token],
    holders: [TRADER],
    code: TRADER_CODE,
  });
  const yieldsAfter: DirectTrades['yieldsAfter'] = async (all, times = PARTS) => {
    const replays = await replayAll(
      session.rpc(),
      all.map((parts) => request(parts, times)),
    );
    return replays.map((replay) => gainOf(replay, bought.token));
  };
  const [unmoved] = await yieldsAfter([0n]);
  if (unmoved === undefined) return 'a pool of its is no pair, and calls nobody back';
  return { sell, yieldsAfter };
}

/** Returns the call that makes so many parts of a plan's swaps with their pools, or why there is none. */
function salesOf(plan: SwapPlan): ((parts: bigint, isWhole?: boolean) => UserCall) | string {
  const ordered = orderSteps(plan);
  if (ordered === undefined) return 'its swaps form a cycle';
  const swaps = ordered.flatMap(({ pool, from, to }, index) => {
    const [address, sold, bought] = [readAddress(pool), from[0], to[0]];
    if (address === undefined || !sold || !bought || from.length + to.length > 2) return [];
    const isLast = !ordered.slice(index + 1).some((later) => later.from[0]?.token === sold.token);
    const takesRest = isLast && sold.token !== plan.sell.token;
    return [{ pool: address, from: sold.token, to: bought.token, amount: sold.amount, takesRest }];
  });
  if (swaps.length < ordered.length) return 'a pool of its has more than two tokens, or no address';
  // Encoded once: a general encoder takes longer over it than Anvil over the trade.
  const encoded = encodeFunctionData({
    abi: ABI,
    functionName: 'trade',
    args: [swaps, 0n, false, PARTS],
  });
  return (parts, isWhole = false) => {
    const words = [parts, BigInt(isWhole)].map((word) => word.toString(16).padStart(64, '0'));
    const [start, end] = [encoded.slice(2, TIMES_AT), encoded.slice(TIMES_AT + 128)];
    return { to: TRADER, value: 0n, data: `0x${start}${words.join('')}${end}` };
  };
}

/** Returns what the pools of exact outputs give that cost more than was quoted, by the trade. */
export async function yieldsOfOverspent(
  session: ForkSession,
  trades: readonly PlannedTrade[],
  effects: readonly (Effects | undefined)[],
): Promise<ReadonlyMap<PlannedTrade, SettledPlan['poolsGive']>> {
  const overspent = trades.flatMap((trade, index) => {
    const did = effects[index];
    const isMore = did?.kind === 'settled' && did.spent > trade.plan.sell.amount;
    return isMore && trade.request.swapKind === 'exact-output'
      ? [{ trade, plan: trade.plan, request: trade.request, sold: did.spent }]
      : [];
  });
  const quoted = await yieldsOfPools(
    session,
    overspent.map(({ trade }) => trade),
  );
  const spent = await yieldsOfPools(session, overspent);
  return new Map(
    overspent.map(({ trade }, index) => {
      const [forQuoted, forSpent] = [quoted[index], spent[index]];
      const isKnown = forQuoted !== undefined && forSpent !== undefined;
      return [trade, isKnown ? { forQuoted, forSpent } : undefined];
    }),
  );
}

/**
 * Returns what the pools of each plan give for what it sells, or for `sold`, on the
 * fork as it stands, through no router: undefined where they cannot be traded with
 * so. The user pays, and must hold what is sold.
 */
export async function yieldsOfPools(
  session: ForkSession,
  trades: readonly (Pick<PlannedTrade, 'request' | 'plan'> & { readonly sold?: bigint })[],
): Promise<readonly (bigint | undefined)[]> {
  const requests = trades.map(
    ({ request: { user, sell }, plan, sold }): ReplayRequest | undefined => {
      const trade = salesOf(plan);
      if (typeof trade === 'string') return undefined;
      const { token } = plan.sell;
      const amount = sold ?? plan.sell.amount;
      const wrap: UserCall = { to: token, value: amount, data: WRAP };
      return {
        user,
        earlier: [...(sell.native ? [wrap] : []), transferCall(token, TRADER, amount)],
        trade: trade((amount * PARTS) / plan.sell.amount, true),
        tokens: [plan.buy.token],
        holders: [TRADER],
        code: TRADER_CODE,
      };
    },
  );
  const replays = await replayAll(session.rpc(), requests);
  return trades.map(({ plan }, index) => gainOf(replays[index], plan.buy.token));
}

/** Returns how much of a token a trade gave the trader; undefined where it failed. */
function gainOf(replay: Replay | undefined, token: Address): bigint | undefined {
  return replay?.kind === 'replayed' && replay.success ? replay.change(token, TRADER) : undefined;
}
