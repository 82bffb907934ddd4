import type { Exchange } from '../client/exchange.ts';
import type { ChainMarket } from '../discovery/facts.ts';
import { readQuote } from '../discovery/quote.ts';
import { exactInput, swapTarget } from '../generate/trades.ts';
import type { Executed, OpenExecutor, SkippedPlan } from '../model/executor.ts';
import type { Effects, SettledPlan } from '../model/settlement.ts';
import {
  type Address,
  describeTrade,
  kindOfTrade,
  mostSold,
  type TradeRequest,
} from '../model/trade-request.ts';
import { targetInNotation, varyRequests } from './choose-requests.ts';
import { ForkError } from './fork.ts';
import { type ForkSession, NEXT_BLOCK_S } from './fork-session.ts';
import { settleImproved } from './improved-prices.ts';
import { describeOddity } from './inspect-tokens.ts';
import { undefinedIfNodeFailed } from './node-losses.ts';
import { holdersOf, needsOf, type PlannedTrade, poolsByToken } from './planned-trade.ts';
import { yieldsOfOverspent, yieldsOfPools } from './pool-yields.ts';
import { hasCode } from './pools-without-code.ts';
import { readSwapPlan } from './read-swap-plan.ts';
import { checkTrades, type SettleTrial, settleEach } from './try-trades.ts';

/** The market of a service on one chain, and a fork of that chain. */
export type ForkedMarket = {
  readonly service: Parameters<OpenExecutor>[0];
  readonly market: ChainMarket;
  readonly session: ForkSession;
};

/** Requests between two updates of the fork, few enough that a live market moves little. */
const BATCH_SIZE = 48;
/** Maximum requests for a trade if the market may have moved away from its quote. */
const MAX_ATTEMPTS = 3;
/** Calldata should outlive the time a person takes to sign. */
const LATER_S = 60;
/** With fewer plans, a node that lags looks like a service that errs. */
const MIN_PLANS_TO_BLAME_NODE = 4;

/**
 * Requests plans, and settles each on a fork of the same moment: in a transaction
 * with its gas limit, with ample gas if that fails, and again a minute later. On a
 * market that moves, trades that fail are requested again, and the yield of a plan
 * is measured in another way on the same block.
 *
 * @throws {ForkError} if plans fail because the fork is old
 */
export async function settleTrades(
  forked: ForkedMarket,
  requests: readonly TradeRequest[],
): Promise<Executed<SettledPlan>> {
  const items: SettledPlan[] = [];
  const skipped: SkippedPlan[] = [];
  const improvedKinds = new Set<string>();
  for (let at = 0; at < requests.length; at += BATCH_SIZE) {
    const batch = requests.slice(at, at + BATCH_SIZE);
    await requestVariants(forked, batch);
    const settled = await settleUntilFinal(forked, batch);
    items.push(...settled.items);
    skipped.push(...settled.skipped);
    items.push(...(await improvePrices(forked.session, settled.items, improvedKinds)));
  }
  if (!forked.service.frozen) await rejectOldFork(forked, items);
  return { items, skipped };
}

/** Settles one plan of each kind again at a better price than quoted; `done` collects the kinds. */
async function improvePrices(
  session: ForkSession,
  items: readonly SettledPlan[],
  done: Set<string>,
): Promise<readonly SettledPlan[]> {
  const improved: SettledPlan[] = [];
  const { number } = session.fork().block;
  for (const item of items) {
    const { request, effects } = item;
    const kind = [kindOfTrade(request), request.sell.native, request.buy.native].join();
    if (done.has(kind) || request.wallet !== undefined || request.useRfq) continue;
    if (effects.scene?.blockNumber !== number) continue;
    const settled = await settleImproved(session, item);
    if (settled === undefined) continue;
    improved.push(settled);
    done.add(kind);
  }
  return improved;
}

/** Requests a variant of each trade first, since a cached reply to one request must not be returned for the next. */
async function requestVariants(
  { service, session }: ForkedMarket,
  requests: readonly TradeRequest[],
): Promise<void> {
  const variants = varyRequests(requests, session.wrappedNative);
  await Promise.all(variants.map((request) => service.get(targetInNotation(request))));
}

/** Settles trades, and repeats those that fail if the market may have moved since the quote. */
async function settleUntilFinal(
  forked: ForkedMarket,
  requests: readonly TradeRequest[],
): Promise<Executed<SettledPlan>> {
  const items: SettledPlan[] = [];
  const skipped: SkippedPlan[] = [];
  let waiting = requests;
  for (let attempt = 1; waiting.length > 0; attempt += 1) {
    const batch = await settleBatch(forked, waiting);
    const isLast = attempt === MAX_ATTEMPTS || isUnmoved(forked);
    const failed = isLast ? [] : batch.items.filter(({ effects }) => !isSettled(effects));
    const final = batch.items.filter((item) => !failed.includes(item));
    items.push(...final.map((item) => ({ ...item, failedBefore: attempt - 1 })));
    skipped.push(...batch.skipped);
    waiting = failed.map(({ request }) => request);
  }
  return { items, skipped };
}

type AnsweredTrade = PlannedTrade & { readonly exchange: Exchange };

async function settleBatch(
  forked: ForkedMarket,
  requests: readonly TradeRequest[],
): Promise<Executed<SettledPlan>> {
  const trades = await planTrades(forked, requests);
  const { equipped, unfunded } = await equipTrades(forked, trades);
  const settled = await settleAll(forked, equipped);
  const lost = equipped.filter((_, index) => settled[index] === undefined);
  return {
    items: settled.filter((item) => item !== undefined),
    skipped: [...unfunded, ...lost.map((trade) => skip(trade.request, 'not-read', LOST))],
  };
}

/** Reason for skipping a plan whose state the node did not return; the run reports the node's fault once. */
const LOST = 'its state could not be read';

function skip(request: TradeRequest, kind: SkippedPlan['kind'], reason: string): SkippedPlan {
  return { trade: describeTrade(request), kind, reason };
}

/** Requests trades at once, brings the fork up to date, and returns the plans with the transactions that settle them. */
async function planTrades(
  { service, session }: ForkedMarket,
  requests: readonly TradeRequest[],
): Promise<readonly AnsweredTrade[]> {
  const exchanges = await Promise.all(
    requests.map(async (request) => ({
      request,
      exchange: await service.get(targetInNotation(request)),
    })),
  );
  await session.refresh();
  return exchanges.flatMap(({ request, exchange }): AnsweredTrade[] => {
    const plan = readSwapPlan(exchange);
    if (plan?.transaction === undefined) return [];
    return [{ request, plan, transaction: plan.transaction, exchange }];
  });
}

/** Gives the accounts of trades what they sell, and returns the trades that can be made. */
async function equipTrades(
  { session }: ForkedMarket,
  trades: readonly AnsweredTrade[],
): Promise<{ readonly equipped: AnsweredTrade[]; readonly unfunded: SkippedPlan[] }> {
  const needs = withWrapped(needsOf(trades), trades, session.wrappedNative);
  const holders = poolsByToken(trades);
  const unavailable = await session.prepare(needs, { holders });
  // The wallet named in a request must not pay for a trade that another account sends.
  const wallets = new Set(trades.flatMap(({ request }) => request.wallet ?? []));
  for (const account of wallets) await session.prepare(needs, { account, holders });
  const unfunded: SkippedPlan[] = [];
  const equipped = trades.filter((trade) => {
    const why = whyNotFunded(session, trade, unavailable);
    if (why !== undefined) unfunded.push(skip(trade.request, 'not-funded', why));
    return why === undefined;
  });
  return { equipped, unfunded };
}

/** Adds wrapped native to the needs of trades that sell native, since calldata may take it by mistake. */
function withWrapped(
  needs: ReadonlyMap<Address, bigint>,
  trades: readonly PlannedTrade[],
  wrappedNative: Address | undefined,
): ReadonlyMap<Address, bigint> {
  if (wrappedNative === undefined) return needs;
  const sold = trades.map(({ request, plan }) =>
    request.sell.native ? mostSold(request, plan) : 0n,
  );
  const most = [needs.get(wrappedNative) ?? 0n, ...sold].reduce((one, other) =>
    one > other ? one : other,
  );
  return most === 0n ? needs : new Map([...needs, [wrappedNative, most]]);
}

function whyNotFunded(
  session: ForkSession,
  { request, plan }: PlannedTrade,
  unavailable: ReadonlyMap<Address, string>,
): string | undefined {
  if (request.sell.native) return undefined;
  if (session.approval(request.router) === undefined) {
    return `/chainInfo does not list ${request.router}, so the account to approve is unknown`;
  }
  const { token } = plan.sell;
  const taken = session.taken(token);
  if (taken === undefined) return unavailable.get(token);
  if (taken.amount < mostSold(request, plan)) {
    return `the user could only be given ${taken.amount} of ${token}, all that ${taken.holder} holds`;
  }
  return taken.isPair && plan.steps.some(({ pool }) => pool === taken.holder)
    ? `the user could only be given ${token} by ${taken.holder}, the pool that buys it`
    : undefined;
}

/** Returns whether the market is known to be unchanged since the plans were quoted. */
export function isUnmoved({ service, session }: ForkedMarket): boolean {
  return service.frozen || session.stoodStill();
}

/** Settles trades on the current fork; undefined for one whose state the node did not return. */
async function settleAll(
  forked: ForkedMarket,
  trades: readonly AnsweredTrade[],
): Promise<readonly (SettledPlan | undefined)[]> {
  const { session } = forked;
  const unmoved = isUnmoved(forked);
  const timestamp = session.blockTimeIn(NEXT_BLOCK_S);
  const trials = await settleEach(
    session,
    trades.map((trade) => ({ ...trade, timestamp })),
  );
  const later = await checkTrades(
    session,
    trades.map((trade) => ({
      ...trade,
      timestamp: session.blockTimeIn(LATER_S),
      expected: 'settled',
    })),
  );
  const { gasLimit, reportsGasLimit } = session.fork().block;
  const transactionGasCap = await undefinedIfNodeFailed(session.gasCap);
  const items: (SettledPlan | undefined)[] = [];
  for (const [index, trade] of trades.entries()) {
    const [trial, effectsLater] = [trials[index], later[index]];
    const describe = async (): Promise<SettledPlan | undefined> => {
      if (trial === undefined || effectsLater === undefined) return undefined;
      const isComparable = !unmoved && trade.request.swapKind === 'exact-input';
      const sold = isComparable ? [trade.plan.sell.amount] : [];
      const [alternativeYield] = await yieldsOfPools(session, trade, sold);
      return {
        ...(await describeSettled(session, trade, trial)),
        unmoved,
        alternativeYield,
        poolsGive: await yieldsOfOverspent(session, trade, trial),
        failedBefore: 0,
        blockGasLimit: reportsGasLimit ? gasLimit : undefined,
        transactionGasCap,
        effectsLater,
      };
    };
    items.push(await undefinedIfNodeFailed(describe));
  }
  return items;
}

/** Returns a trade with its result, and with facts from the chain about its tokens and contracts. */
async function describeSettled(
  session: ForkSession,
  trade: AnsweredTrade,
  { effects, mined, strays }: SettleTrial,
) {
  if (!isSettled(effects)) await Promise.all(trade.plan.tokens.map(session.fork().checkToken));
  return {
    ...trade,
    effects: await addOddity(session, trade, effects),
    mined,
    ...strays,
    routerHasCode: await hasCode(session, trade.transaction.router),
    holders: holdersOf(session, trade),
    bystanders: session.bystanders(),
    nativeToken: session.nativeToken,
  };
}

/** Adds the unusual behaviour of the sold token to the reason for a failure. */
async function addOddity(
  session: ForkSession,
  { request, plan }: PlannedTrade,
  effects: Effects,
): Promise<Effects> {
  if (effects.kind === 'settled' || request.sell.native) return effects;
  const oddity = await describeOddity(session.fork(), request.user, plan.sell);
  return oddity === '' ? effects : { ...effects, reason: `${effects.reason}; ${oddity}` };
}

function isSettled(effects: Effects): boolean {
  return effects.kind === 'settled';
}

/**
 * Throws if the node lags: its chain does not advance, most plans are far from their quotes, and the
 * service's quotes have moved since discovery.
 */
async function rejectOldFork(forked: ForkedMarket, items: readonly SettledPlan[]): Promise<void> {
  const { market, session } = forked;
  if (!session.stoodStill() || items.length < MIN_PLANS_TO_BLAME_NODE) return;
  const off = items.filter((item) => isOff(item));
  if (off.length * 2 <= items.length || !(await quotesHaveMoved(forked))) return;
  throw new ForkError(
    `the fork of chain ${market.chainId} is at block ${session.fork().block.number}, ` +
      `${session.secondsBehind()} s behind the service: its node lags: pass --fork with one that is up to date`,
  );
}

function isOff({ effects, request, plan }: SettledPlan): boolean {
  if (effects.kind === 'reverted') return true;
  const [did, quoted] =
    request.swapKind === 'exact-input'
      ? [effects.received, plan.buy.amount]
      : [effects.spent, plan.sell.amount];
  return (did > quoted ? did - quoted : quoted - did) * 10_000n > quoted;
}

/** Requests a few of discovery's quotes again, and returns whether one has changed. */
async function quotesHaveMoved({ service, market }: ForkedMarket): Promise<boolean> {
  const moved = await Promise.all(
    market.pairs.slice(0, MIN_PLANS_TO_BLAME_NODE).map(async (pair) => {
      const quote = readQuote(await service.get(swapTarget(exactInput({ market, pair }))));
      return quote !== undefined && quote.buyAmount !== pair.buyAmount;
    }),
  );
  return moved.includes(true);
}
