import PQueue from 'p-queue';
import type { ChainMarket } from '../../discovery/facts.ts';
import { createDeck } from '../../generate/deck.ts';
import type { Executed, SkippedPlan } from '../../model/executor.ts';
import { effectsOf, type PriceMove, type Trade } from '../../model/settlement.ts';
import { describeTrade, kindOfTrade, type TradeRequest } from '../../model/trade-request.ts';
import { ampleCircumstances } from '../fork/circumstances.ts';
import type { ForkedMarket, ForkSession } from '../fork/fork-session.ts';
import { holdersOf, scenarioOf } from '../fork/scenario.ts';
import { undefinedIfNodeFailed } from '../node/node-losses.ts';
import { pairsOf, SIDES, sideOf, tradePair } from '../requests/choose-requests.ts';
import { drawRequests } from '../requests/draw-requests.ts';
import { joined, NOTHING } from '../settle/provision.ts';
import { isSamePlan } from '../settle/read-swap-plan.ts';
import { simulate } from '../settle/simulate.ts';
import {
  isBeyond,
  isWithin,
  lossBps,
  type MovedMarket,
  marketsByCalldata,
  marketsByPools,
} from './moved-markets.ts';
import { LOST, requestTrades } from './settle-until-final.ts';

const BATCH_SIZE = 48;
const CONCURRENT_TRADES = 16;
/**
 * If there are at least this many plans for each router and swap kind on a chain, every such kind
 * must be judged.
 */
const MIN_PLANS_PER_KIND = 12;
/** A trade of this multiple may exceed what market makers fill, but not what pools hold. */
const BEYOND_MAKERS_TIMES = 20n;
const MAX_PAIRS = 3;
const WITHOUT_TOLERANCE_EVERY = 6;
/**
 * Slippage tolerances in steps of 0.0001. 5,000 appears twice, since moves most often fail to reach
 * it.
 */
const TOLERANCES = [1, 5, 10, 20, 50, 100, 500, 2_000, 5_000, 5_000, 9_000];
const NO_PROTECTION_BPS = 10_000;
/** Added to the seed, so that the plans differ from those that are settled as returned. */
const SEED_OFFSET = 1;

const NOT_SETTLED = 'its calldata does not settle on the market as it is';
const NOT_MOVED_ENOUGH = 'no price was moved far enough to judge it';

/**
 * Moves prices against the user in the pools of plans of every kind, by slightly more and slightly
 * less than the tolerance. Then settles the plans at these prices.
 */
export async function movePrices(
  forked: ForkedMarket,
  plans: number,
): Promise<Executed<PriceMove>> {
  const { market, service } = forked;
  const seed = service.seed + SEED_OFFSET;
  const moves: PriceMove[] = [];
  const skipped: SkippedPlan[] = [];
  const wanted = new Map<string, string>();
  const withOtherPair = createPairChanger(market, seed);
  let waiting = (await drawRequests(forked, { plans, seed })).map(withTolerance);
  for (let attempt = 1; waiting.length > 0; attempt += 1) {
    const unmoved: TradeRequest[] = [];
    for (let at = 0; at < waiting.length; at += BATCH_SIZE) {
      const trades = await requestMovableTrades(forked, waiting.slice(at, at + BATCH_SIZE));
      for (const { request, moved } of await moveAll(forked.session, trades)) {
        if (moved === undefined) skipped.push(skip(request));
        else if (typeof moved === 'string') unmoved.push(request);
        else moves.push(...moved);
        const why = typeof moved === 'string' ? moved : NOT_MOVED_ENOUGH;
        if (typeof moved === 'string' || attempt === 1) wanted.set(kindOfTrade(request), why);
      }
    }
    waiting = attempt === MAX_PAIRS ? [] : unmoved.map(withOtherPair);
  }
  // A sample need not judge every kind of trade, only some.
  const isSample = plans < MIN_PLANS_PER_KIND * wanted.size;
  return { items: moves, skipped, ...((!isSample || moves.length === 0) && { wanted }) };
}

/**
 * Returns a function that replaces a trade whose price cannot be moved, usually with the same kind
 * of trade on another pair.
 */
function createPairChanger(market: ChainMarket, seed: number) {
  const sides = SIDES.filter((side) => pairsOf(market, side).length > 0);
  const decks = new Map(sides.map((side) => [side, createDeck(pairsOf(market, side), seed)]));
  return (request: TradeRequest): TradeRequest => {
    // If market makers fill the whole trade, its price cannot be moved.
    if (request.useRfq) return { ...request, amount: request.amount * BEYOND_MAKERS_TIMES };
    const pair = decks.get(sideOf(request))?.deal();
    return pair === undefined ? request : { ...request, ...tradePair(market, pair, request) };
  };
}

/** A trade, and the same plan with calldata that tolerates any price, if the service returns it. */
type MovableTrade = Trade & { readonly unprotected: Trade | undefined };

/**
 * Requests the other tolerances first, to reveal a service that returns a cached reply to another
 * tolerance.
 */
async function requestMovableTrades(
  forked: ForkedMarket,
  requests: readonly TradeRequest[],
): Promise<readonly MovableTrade[]> {
  const others = requests.map((request) => ({
    ...request,
    slippageBps: request.slippageBps === NO_PROTECTION_BPS ? 0 : NO_PROTECTION_BPS,
  }));
  const tolerant = await requestTrades(forked, others);
  const trades = await requestTrades(forked, requests);
  return trades.map((trade) => {
    const other = others[requests.indexOf(trade.request)];
    const same = [trade, ...tolerant.filter(({ request }) => request === other)];
    const unprotected = same.find(
      ({ request, plan }) =>
        request.slippageBps === NO_PROTECTION_BPS && isSamePlan(plan, trade.plan),
    );
    return { ...trade, unprotected };
  });
}

/**
 * Gives most trades at zero tolerance another tolerance, since markets on both sides of a limit
 * show more.
 */
function withTolerance(request: TradeRequest, index: number): TradeRequest {
  if (request.slippageBps !== 0 || index % WITHOUT_TOLERANCE_EVERY === 0) return request;
  return { ...request, slippageBps: TOLERANCES[index % TOLERANCES.length] };
}

function moveAll(session: ForkSession, trades: readonly MovableTrade[]) {
  const moveOne = (trade: MovableTrade) => async () => ({
    request: trade.request,
    moved: await undefinedIfNodeFailed(() => moveTrade(session, trade)),
  });
  return new PQueue({ concurrency: CONCURRENT_TRADES }).addAll(trades.map(moveOne));
}

function skip(request: TradeRequest): SkippedPlan {
  return { trade: describeTrade(request), kind: 'not-read', reason: LOST };
}

/**
 * Settles a trade in markets around its tolerance. If there are no such markets, returns the reason
 * as text.
 */
async function moveTrade(
  session: ForkSession,
  trade: MovableTrade,
): Promise<readonly PriceMove[] | string> {
  const markets = await marketsOf(session, trade);
  if (typeof markets === 'string') return markets;
  const beyond = markets.find((market) => isBeyond(market, trade));
  const within = isSplitOutput(trade)
    ? undefined
    : markets.findLast((market) => isWithin(market, trade));
  const chosen = [beyond, within].filter((market) => market !== undefined);
  if (chosen.length === 0) return NOT_MOVED_ENOUGH;
  return settleIn(session, trade, chosen);
}

/**
 * Returns markets in which a trade's result is just within or just beyond its limit. If some pools
 * cannot be moved, measures the markets with the service's calldata.
 */
async function marketsOf(
  session: ForkSession,
  { unprotected, ...trade }: MovableTrade,
): Promise<readonly MovedMarket[] | string> {
  const markets = await marketsByPools(session, trade);
  if (typeof markets !== 'string' || unprotected === undefined) return markets;
  const found = await marketsByCalldata(session, trade, unprotected);
  return typeof found === 'string' ? `${markets}, and ${found}` : found;
}

async function settleIn(
  session: ForkSession,
  trade: Trade,
  markets: readonly MovedMarket[],
): Promise<readonly PriceMove[] | string> {
  const { funds, fields } = ampleCircumstances(session.fork().block);
  // A limit on the receiver's balance, instead of on its increase, then protects nothing.
  const holding = { funds: { ...funds, bought: 'some' }, fields } as const;
  const scenario = await scenarioOf(session, trade, holding);
  if (typeof scenario === 'string') return scenario;
  const settle = async ({ provision }: Pick<MovedMarket, 'provision'>) => {
    const moved = { ...scenario, ...joined(scenario, provision) };
    const settlement = await simulate(session.fork(), moved);
    const effects = effectsOf(trade, holdersOf(session, trade), settlement);
    return { now: { scenario: moved, settlement }, effects };
  };
  const { request, plan, exchange } = trade;
  const moves: PriceMove[] = [];
  for (const market of markets) {
    const movedBps = lossBps(trade, market);
    const toleranceBps = request.slippageBps ?? 0;
    moves.push({ request, plan, exchange, movedBps, toleranceBps, ...(await settle(market)) });
  }
  // A revert shows protection only if the trade settles without it.
  if (moves.some(({ effects }) => effects.kind === 'settled')) return moves;
  const unmoved = await settle({ provision: NOTHING });
  return unmoved.effects.kind === 'settled' ? moves : NOT_SETTLED;
}

/**
 * Returns whether a plan splits an exact output. For such a plan, a router may limit each path rather
 * than the whole output, although one path may have moved further. Or it may buy the planned amount
 * in each pool. The specification does not define what the router must settle then.
 */
function isSplitOutput({ request, plan }: Trade): boolean {
  // A plan may use one pool twice.
  const ways = new Map(
    plan.steps.flatMap(({ pool, from, to }) =>
      from.map(({ token }) => [[pool, token, ...to.map((each) => each.token)].join(' '), token]),
    ),
  );
  const sold = [...ways.values()];
  return request.swapKind === 'exact-output' && new Set(sold).size < sold.length;
}
