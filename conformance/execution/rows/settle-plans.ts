import { RunStopped } from '../../client/scheduler.ts';
import type { ChainMarket } from '../../discovery/facts.ts';
import { readQuote } from '../../discovery/quote.ts';
import { createDeck } from '../../generate/deck.ts';
import { exactInput, swapTarget } from '../../generate/trades.ts';
import type { Executed, SkippedPlan } from '../../model/executor.ts';
import type { Evidence, EvidenceKind, SettledPlan } from '../../model/settlement.ts';
import { kindOfTrade, type TradeRequest } from '../../model/trade-request.ts';
import { clockFaultIn } from '../fork/clocks.ts';
import type { ForkedMarket } from '../fork/fork.ts';
import { ForkError } from '../fork/source.ts';
import {
  pairsOf,
  SIDES,
  sideOf,
  targetInNotation,
  tradePair,
  varyRequests,
} from '../requests/choose-requests.ts';
import { drawRequests } from '../requests/draw-requests.ts';
import { createCircumstances } from '../scenario/circumstances.ts';
import { BETTER_PRICES, DIFFERENT_LATER } from './better-prices.ts';
import { BY_ANOTHER, WITH_CODE } from './other-accounts.ts';
import { createRowSettler, type Row, type RowResult } from './row.ts';
import { SECOND_TRADES } from './second-trades.ts';
import { settleTrade } from './settle-trade.ts';
import { requestTrades, settleUntilFinal, skip } from './settle-until-final.ts';
import { NOT_MOVED_ENOUGH, WORSE_PRICES } from './worse-prices.ts';

/** The scenarios in which each plan is settled, besides the one as returned. */
const ROWS: readonly Row[] = [
  ...BETTER_PRICES,
  DIFFERENT_LATER,
  ...SECOND_TRADES,
  BY_ANOTHER,
  ...WITH_CODE,
  WORSE_PRICES,
];

/**
 * Number of requests after which the fork is updated. Small enough that a live market moves little
 * in between.
 */
const BATCH_SIZE = 48;
/** Minimum number of plans needed to blame a lagging node instead of the service. */
const MIN_PLANS_TO_BLAME_NODE = 4;
/**
 * If there are at least this many plans for each router and swap kind on a chain, the price of
 * every such kind must be moved.
 */
const MIN_PLANS_PER_KIND = 12;

/** Maximum pairs on which to move the price of one trade. */
const MAX_PAIRS = 2;
/** A trade of this multiple may exceed what market makers fill, but not what pools hold. */
const BEYOND_MAKERS_TIMES = 20n;
/** Slippage tolerances of trades on another pair, in steps of 0.0001. */
const TOLERANCES = [1, 5, 10, 20, 50, 100, 500, 2_000, 5_000, 9_000];

/** Plans that were settled for each kind of evidence. */
export type SettledRows = ReadonlyMap<EvidenceKind, Executed<Evidence[EvidenceKind]>>;

/**
 * Requests plans, and settles each on a fork of the chain at that moment: as returned, and in the
 * rows for the given kinds of evidence. On a moving market, requests failed trades again.
 *
 * @throws {ForkError} if plans fail because the fork is old, or all fail because clocks differ
 */
export async function settlePlans(
  forked: ForkedMarket,
  plans: number,
  kinds: readonly EvidenceKind[],
): Promise<SettledRows> {
  const { service } = forked;
  const requests = await drawRequests(forked, { plans, seed: service.seed });
  const rows = ROWS.filter(({ kind }) => kinds.includes(kind));
  const { items, skipped, results } = await settleInBatches(forked, requests, rows);
  const isOver = () => service.ending?.aborted === true;
  if (kinds.includes('price-moved') && !isOver()) {
    const changePair = createPairChanger(forked.market, service.seed);
    let last: readonly RowResult[] = results;
    for (let attempt = 2; attempt <= MAX_PAIRS; attempt += 1) {
      const others = last.filter(lacksMovedPrice).map(({ request }) => changePair(request));
      last = (await settleInBatches(forked, others, [WORSE_PRICES])).results;
      results.push(...last);
    }
  }
  if (!service.frozen && !isOver()) await rejectOldFork(forked, items);
  const wrongTime = skipped.find(({ kind }) => kind === 'wrong-time');
  if (items.length === 0 && wrongTime !== undefined) throw new ForkError(wrongTime.reason);
  const executedAs = (kind: EvidenceKind): Executed<Evidence[EvidenceKind]> => {
    const ofKind = results.filter((result) => result.kind === kind);
    const lost = ofKind.flatMap((result) => result.skipped ?? []);
    const found = ofKind.flatMap((result) => result.items);
    if (kind === 'as-returned') return { items: [...items, ...found], skipped };
    const executed = { items: found, skipped: [...skipped, ...lost] };
    if (kind !== 'price-moved') return executed;
    const wanted = kindsToMove(ofKind);
    // A sample need not judge every kind of trade, only some.
    const isSample = (isOver() || plans < MIN_PLANS_PER_KIND * wanted.size) && found.length > 0;
    return isSample ? executed : { ...executed, wanted };
  };
  return new Map(kinds.map((kind) => [kind, executedAs(kind)]));
}

/** If the run is stopped, returns the batches until then. The last one is incomplete. */
async function settleInBatches(
  forked: ForkedMarket,
  requests: readonly TradeRequest[],
  rows: readonly Row[],
) {
  const { fork, service } = forked;
  const draw = createCircumstances(service.seed, fork.salt);
  const settleRows = createRowSettler(rows);
  const items: SettledPlan[] = [];
  const skipped: SkippedPlan[] = [];
  const results: RowResult[] = [];
  const settleBatch = async (batch: readonly TradeRequest[]) => {
    await requestVariants(forked, batch);
    const settled = await settleUntilFinal(forked, batch, {
      request: requestTrades,
      settle: async (trade, past) => {
        service.ending?.throwIfAborted();
        const { request } = trade;
        const settled = await settleTrade(fork, trade, draw(request, fork.block), past);
        const wrongTime = 'plan' in settled ? await clockFaultIn(fork, settled) : undefined;
        const final = wrongTime === undefined ? settled : skip(request, 'wrong-time', wrongTime);
        if ('reason' in final) {
          results.push({ kind: 'price-moved', request, items: [], why: final.reason });
        }
        return final;
      },
      isFailed: ({ effects }) => effects.kind === 'reverted',
      whileAtBlock: async (final) => {
        results.push(...(await settleRows(forked, final)));
      },
    });
    items.push(...settled.items);
    skipped.push(...settled.skipped);
  };
  for (let at = 0; at < requests.length; at += BATCH_SIZE) {
    try {
      await settleBatch(requests.slice(at, at + BATCH_SIZE));
    } catch (error) {
      if (!(error instanceof RunStopped) || items.length === 0) throw error;
      break;
    }
  }
  return { items, skipped, results };
}

/** Returns the reason to report for each kind of trade if its price was not moved. */
function kindsToMove(results: readonly RowResult[]): ReadonlyMap<string, string> {
  return new Map(results.map(({ request, why = NOT_MOVED_ENOUGH }) => [kindOfTrade(request), why]));
}

function lacksMovedPrice({ kind, items, skipped }: RowResult): boolean {
  return kind === 'price-moved' && items.length === 0 && skipped === undefined;
}

/**
 * Returns a function that replaces a trade whose price cannot be moved, usually with the same kind
 * of trade on another pair.
 */
function createPairChanger(market: ChainMarket, seed: number) {
  const sides = SIDES.filter((side) => pairsOf(market, side).length > 0);
  const decks = new Map(sides.map((side) => [side, createDeck(pairsOf(market, side), seed)]));
  const tolerances = createDeck(TOLERANCES, seed);
  return (request: TradeRequest): TradeRequest => {
    // If market makers fill the whole trade, its price cannot be moved.
    if (request.useRfq) return { ...request, amount: request.amount * BEYOND_MAKERS_TIMES };
    const pair = decks.get(sideOf(request))?.deal();
    const slippageBps = tolerances.deal();
    return {
      ...request,
      slippageBps,
      ...(pair && tradePair(market, pair, { ...request, slippageBps })),
    };
  };
}

/**
 * Requests the variants first, to reveal a service that returns a cached reply to a similar
 * request.
 */
async function requestVariants(
  { service, fork }: ForkedMarket,
  requests: readonly TradeRequest[],
): Promise<void> {
  const variants = varyRequests(requests, fork.wrappedNative, fork.accounts.wallet);
  await Promise.all(variants.map((request) => service.get(targetInNotation(request))));
}

/**
 * Throws if a node lags: its chain does not advance, most plans settle far from their quotes, and
 * the service's quotes have moved since discovery.
 */
async function rejectOldFork(forked: ForkedMarket, items: readonly SettledPlan[]): Promise<void> {
  const { market, fork } = forked;
  if (!fork.stoodStill() || items.length < MIN_PLANS_TO_BLAME_NODE) return;
  const off = items.filter((item) => missesQuote(item));
  if (off.length * 2 <= items.length || !(await quotesHaveMoved(forked))) return;
  throw new ForkError(
    `the fork of chain ${market.chainId} is at block ${fork.block.number}, ` +
      `${fork.secondsBehind()} s behind the service, since its node lags; pass --fork with a node that is up to date`,
  );
}

function missesQuote({ effects, request, plan }: SettledPlan): boolean {
  if (effects.kind === 'reverted') return true;
  const [did, quoted] =
    request.swapKind === 'exact-input'
      ? [effects.received, plan.buy.amount]
      : [effects.spent, plan.sell.amount];
  return (did > quoted ? did - quoted : quoted - did) * 10_000n > quoted;
}

async function quotesHaveMoved({ service, market }: ForkedMarket): Promise<boolean> {
  const moved = await Promise.all(
    market.pairs.slice(0, MIN_PLANS_TO_BLAME_NODE).map(async (pair) => {
      const quote = readQuote(await service.get(swapTarget(exactInput({ market, pair }))));
      return quote !== undefined && quote.buyAmount !== pair.buyAmount;
    }),
  );
  return moved.includes(true);
}
