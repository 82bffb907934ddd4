import {
  type Effects,
  type Holders,
  NATIVE_TOKEN,
  type SwapPlan,
  type Transaction,
  tokenBought,
  tokenSold,
  type UserCall,
} from '../model/settlement.ts';
import { mostSold, type TradeRequest } from '../model/trade-request.ts';
import type { ForkSession } from './fork-session.ts';
import { type Replay, type ReplayRequest, replayAll } from './replay.ts';
import { describeRevert } from './revert.ts';

/** A plan with the transaction that is to settle it. */
export type PlannedTrade = {
  readonly request: TradeRequest;
  readonly plan: SwapPlan;
  readonly transaction: Transaction;
};

/** How a trade is tried. */
export type TrialOptions = {
  /** Unix time in seconds. */
  readonly timestamp: number;
  /** Calls of the user that come first. */
  readonly earlier?: readonly UserCall[];
  /** Code that stands in for that of those whom they call. */
  readonly code?: ReplayRequest['code'];
};

/** Returns the call by which the user sends a plan's transaction, with the native that it sells. */
export function callOf({ request, plan, transaction }: PlannedTrade): UserCall {
  const value = request.sell.native ? mostSold(request, plan) : 0n;
  return { to: transaction.router, value, data: transaction.calldata };
}

/** Returns the accounts around a trade. */
export function holdersOf(session: ForkSession, { request, transaction }: PlannedTrade): Holders {
  const { user, recipient = user } = request;
  const approval = session.approval(request.router);
  const hasProxy =
    approval !== undefined && !approval.viaPermit2 && approval.spender !== transaction.router;
  return {
    user,
    receiver: recipient,
    router: transaction.router,
    proxy: hasProxy ? approval.spender : undefined,
  };
}

/**
 * Tries trades on the fork as it stands, each for itself, and returns what each
 * did; undefined where the fork's node did not give what the trade reads.
 */
export async function tryTrades(
  session: ForkSession,
  trades: readonly (PlannedTrade & TrialOptions)[],
): Promise<readonly (Effects | undefined)[]> {
  const requests = trades.map((trade) => replayRequest(session, trade));
  const replays = await replayAll(session.rpc(), requests);
  return replays.map((replay, index) => {
    const trade = trades[index] as PlannedTrade;
    const { chainId } = session;
    const { number: blockNumber } = session.fork().block;
    const scene = { ...(requests[index] as ReplayRequest), chainId, blockNumber };
    return replay && { ...effectsOf(replay, trade, holdersOf(session, trade)), scene };
  });
}

/** Returns the request that tries a trade, measuring everyone around it. */
export function replayRequest(
  session: ForkSession,
  trade: PlannedTrade & TrialOptions,
): ReplayRequest {
  const { user, receiver, router, proxy } = holdersOf(session, trade);
  const { wrappedNative } = session;
  const tokens = new Set([
    NATIVE_TOKEN,
    ...trade.plan.tokens,
    ...(wrappedNative === undefined ? [] : [wrappedNative]),
    ...session.bystanders(),
  ]);
  const holders = new Set([user, receiver, router, ...(proxy === undefined ? [] : [proxy])]);
  return {
    user,
    trade: callOf(trade),
    tokens: [...tokens],
    holders: [...holders],
    timestamp: trade.timestamp,
    ...(trade.earlier && { earlier: trade.earlier }),
    code: trade.code,
  };
}

function effectsOf(replay: Replay, trade: PlannedTrade, { user, receiver }: Holders): Effects {
  if (replay.kind === 'not-reached') {
    return {
      kind: 'reverted',
      reason: `a trade before it failed: ${describeRevert(replay.returned)}`,
    };
  }
  if (!replay.success) return { kind: 'reverted', reason: describeRevert(replay.returned) };
  const { change, gasUsed } = replay;
  const spent = change(tokenSold(trade), user);
  const received = change(tokenBought(trade), receiver);
  if (spent === undefined || received === undefined) {
    return { kind: 'reverted', reason: 'a token of the trade does not report a balance' };
  }
  return { kind: 'settled', gasUsed, spent: -spent, received, change };
}
