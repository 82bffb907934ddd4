import {
  accountsOf,
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
import type { Rpc } from './json-rpc.ts';
import { makeTrade } from './make-trade.ts';
import { unlessLost } from './node-losses.ts';
import { type Replay, type ReplayRequest, replayAll } from './replay.ts';
import { describeRevert } from './revert.ts';
import { isolated } from './send.ts';

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
 * did; undefined where the fork's node did not give what the trade reads. All
 * are made in calls, in which the user has code. A router may refuse such an
 * account: what fails so on the market as it is is made in a transaction, and
 * if it settles there, so are all further trades of that router.
 */
export async function tryTrades(
  session: ForkSession,
  trades: readonly (PlannedTrade & TrialOptions)[],
): Promise<readonly (Effects | undefined)[]> {
  const requests = trades.map((trade) => replayRequest(session, trade));
  const replays = await replayAll(session.rpc(), requests);
  const tried: (Effects | undefined)[] = [];
  for (const [index, replay] of replays.entries()) {
    const [trade, request] = [trades[index], requests[index]] as [PlannedTrade, ReplayRequest];
    const around = holdersOf(session, trade);
    const { chainId, plainRouters } = session;
    const scene = { ...request, chainId, blockNumber: session.fork().block.number };
    const effects = replay && effectsOf(replay, trade, around);
    const isUnmoved = request.earlier === undefined;
    const isRefused =
      effects?.kind === 'reverted' && (isUnmoved || plainRouters.has(around.router));
    const sent = isRefused ? await unlessLost(() => makeOnFork(session.rpc(), request)) : undefined;
    const effectsSent = sent && effectsOf(sent, trade, around);
    if (effectsSent?.kind === 'settled') plainRouters.add(around.router);
    const told = effectsSent?.kind === 'settled' ? effectsSent : effects;
    tried.push(told && { ...told, scene });
  }
  return tried;
}

/** Makes a trade in a transaction, with all the gas it wants, and undoes it. */
async function makeOnFork(rpc: Rpc, request: ReplayRequest): Promise<Replay> {
  const { earlier = [], timestamp = 0, code = {} } = request;
  const made = await isolated(rpc, async () => {
    for (const [account, itsCode] of Object.entries(code)) {
      await rpc('anvil_setCode', [account, itsCode]);
    }
    return makeTrade(rpc, { ...request, earlier, timestamp, gas: AMPLE_GAS });
  });
  const { mined, changes, failedEarlier } = made;
  const index = earlier.findIndex((call) => failedEarlier.includes(call));
  if (index >= 0) return { kind: 'not-reached', index, returned: '0x' };
  const isMined = mined.kind === 'mined';
  return {
    kind: 'replayed',
    success: isMined && mined.success,
    returned: '0x',
    gasUsed: isMined ? mined.gasUsed : 0n,
    change: (token, holder) =>
      changes.find((change) => change.token === token && change.account === holder)?.amount,
  };
}

/** Far more than any trade needs, so that only a gas limit that is judged can bind it. */
export const AMPLE_GAS = 1_900_000_000n;

/** Returns the request that tries a trade, measuring everyone around it. */
export function replayRequest(
  session: ForkSession,
  trade: PlannedTrade & TrialOptions,
): ReplayRequest {
  const { wrappedNative = [] } = session;
  const tokens = [NATIVE_TOKEN, trade.plan.tokens, wrappedNative, session.bystanders()].flat();
  return {
    user: trade.request.user,
    trade: callOf(trade),
    tokens: [...new Set(tokens)],
    holders: accountsOf(holdersOf(session, trade)),
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
