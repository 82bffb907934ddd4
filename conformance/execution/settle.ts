import type { Ask } from './ask.ts';
import type { Bench } from './bench.ts';
import { type Effects, type Holders, NATIVE_TOKEN } from './execution.ts';
import { mostSold } from './limits.ts';
import { type Replay, type ReplayRequest, replayAll, type UserCall } from './replay.ts';
import { describeRevert } from './revert.ts';
import type { Address, Settlement, SwapPlan } from './swap-plan.ts';

/** A plan with the transaction that is to settle it. */
export type Trade = {
  readonly ask: Ask;
  readonly plan: SwapPlan;
  readonly settlement: Settlement;
};

/** How a trade is tried. */
export type TrialOptions = {
  /** Unix time in seconds. */
  readonly timestamp: number;
  /** Calls of the user that come first. */
  readonly earlier?: readonly UserCall[];
};

/** A block after the quote, when its transaction can be mined at the soonest. */
export const NEXT_BLOCK_S = 15;

/** Returns the call by which the user sends a settlement, with the native that it sells. */
export function callOf({ ask, plan, settlement }: Trade): UserCall {
  const value = ask.sell.native ? mostSold(ask, plan) : 0n;
  return { to: settlement.router, value, data: settlement.calldata };
}

/** Returns the accounts around a trade. */
export function holdersOf(bench: Bench, { ask, settlement }: Trade): Holders {
  const { user, recipient = user } = ask;
  const approval = bench.approval(ask.router);
  const hasProxy =
    approval !== undefined && !approval.viaPermit2 && approval.spender !== settlement.router;
  return {
    user: lower(user),
    receiver: lower(recipient),
    router: settlement.router,
    proxy: hasProxy ? approval.spender : undefined,
  };
}

/** Tries trades on the fork as it stands, each for itself, and returns what each did. */
export async function tryTrades(
  bench: Bench,
  trades: readonly (Trade & TrialOptions)[],
): Promise<readonly Effects[]> {
  const requests = trades.map((trade) => replayRequest(bench, trade));
  const replays = await replayAll(bench.rpc(), requests);
  return replays.map((replay, index) => {
    const trade = trades[index] as Trade;
    return effectsOf(replay, trade, holdersOf(bench, trade));
  });
}

/** Returns the request that tries a trade, measuring everyone around it. */
export function replayRequest(bench: Bench, trade: Trade & TrialOptions): ReplayRequest {
  const { user, receiver, router, proxy } = holdersOf(bench, trade);
  const { wrappedNative } = bench;
  const tokens = new Set([
    NATIVE_TOKEN,
    ...trade.plan.tokens,
    ...(wrappedNative === undefined ? [] : [wrappedNative]),
    ...bench.bystanders(),
  ]);
  const holders = new Set([user, receiver, router, ...(proxy === undefined ? [] : [proxy])]);
  return {
    user,
    trade: callOf(trade),
    tokens: [...tokens],
    holders: [...holders],
    timestamp: trade.timestamp,
    ...(trade.earlier && { earlier: trade.earlier }),
  };
}

function effectsOf(replay: Replay, { ask, plan }: Trade, { user, receiver }: Holders): Effects {
  if (replay.kind === 'not-reached') {
    return {
      kind: 'reverted',
      reason: `a trade before it failed: ${describeRevert(replay.returned)}`,
    };
  }
  if (!replay.success) return { kind: 'reverted', reason: describeRevert(replay.returned) };
  const { change, gasUsed } = replay;
  const sold = ask.sell.native ? NATIVE_TOKEN : plan.sell.token;
  const bought = ask.buy.native ? NATIVE_TOKEN : plan.buy.token;
  const spent = change(sold, user);
  const received = change(bought, receiver);
  if (spent === undefined || received === undefined) {
    return { kind: 'reverted', reason: 'a token of the trade does not tell a balance' };
  }
  return { kind: 'settled', gasUsed, spent: -spent, received, change };
}

function lower(address: string): Address {
  return address.toLowerCase() as Address;
}
