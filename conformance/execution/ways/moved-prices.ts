import PQueue from 'p-queue';
import { createDeck } from '../../generate/deck.ts';
import type { Executed, SkippedPlan } from '../../model/executor.ts';
import { effectsOf, type PriceMove, type SettledPlan, type Trade } from '../../model/settlement.ts';
import {
  describeTrade,
  kindOfTrade,
  type TradeRequest,
  targetOf,
} from '../../model/trade-request.ts';
import { bpBetween } from '../../rule-kit/quote-distance.ts';
import { type ForkedMarket, type ForkSession, NEXT_BLOCK_S } from '../fork/fork-session.ts';
import { holdersOf, scenarioOf } from '../fork/scenario.ts';
import { undefinedIfNodeFailed } from '../node/node-losses.ts';
import {
  chooseRequests,
  pairsOf,
  SIDES,
  sideOf,
  targetInNotation,
  tradePair,
} from '../requests/choose-requests.ts';
import { findOddities } from '../requests/find-oddities.ts';
import { findShapes } from '../requests/find-shapes.ts';
import { joined } from '../settle/provision.ts';
import { isSamePlan, readSwapPlan } from '../settle/read-swap-plan.ts';
import { simulate } from '../settle/simulate.ts';
import { partiesOf, straysIn } from '../settle/strays.ts';
import { LOST, requestTrades } from './as-returned.ts';
import {
  isBeyond,
  isWithin,
  lossBps,
  type MovedMarket,
  marketsByCalldata,
  marketsByPools,
  marketsInFavor,
} from './moved-markets.ts';

/** Requests between two updates of the fork. */
const BATCH_SIZE = 48;
const CONCURRENT_TRADES = 16;
/** Plans on each chain for each router and swap kind, from which on every such kind must be judged. */
const MIN_PLANS_PER_KIND = 12;
/** Maximum plans of one kind that the service's own calldata measures, which takes several requests each. */
const MAX_BY_CALLDATA = 2;
const DONE = Number.POSITIVE_INFINITY;
/** Factor to an amount that may exceed what market makers fill but not what pools hold. */
const BEYOND_MAKERS_TIMES = 20n;
/** Maximum pairs that are tried until the price of one can be moved. */
const MAX_PAIRS = 3;
/** Every such trade without tolerance remains one. */
const KEPT = 6;
/** In steps of 0.0001. */
// Among the wide tolerances, 0.5 is out of reach most often.
const TOLERANCES = [1, 5, 10, 20, 50, 100, 500, 2_000, 5_000, 5_000, 9_000];
/** Tolerance of calldata without protection. */
const NO_PROTECTION_BPS = 10_000;
/** Differs from the plans that are settled as returned. */
const SEED_OFFSET = 1;

const NOT_SETTLED = 'its calldata does not settle on the market as it is';
const NOT_MOVED_ENOUGH = 'no price was moved far enough to judge it';

/**
 * Moves the price of plans of every kind against their user, in the plans' own pools, by a little
 * more than their tolerance and by a little less, and settles them there.
 */
export async function movePrices(
  forked: ForkedMarket,
  plans: number,
): Promise<Executed<PriceMove>> {
  const { market, service, session } = forked;
  const seed = service.seed + SEED_OFFSET;
  const shaped = await findShapes(forked, plans);
  const oddities = await findOddities(session, market.pairs);
  const draw = { seed, accounts: session.accounts };
  const requests = chooseRequests(market, draw, plans, shaped, oddities);
  const moves: PriceMove[] = [];
  const skipped: SkippedPlan[] = [];
  const wanted = new Map<string, string>();
  const byCalldata = new Map<string, number>();
  const sides = SIDES.filter((side) => pairsOf(market, side).length > 0);
  const decks = new Map(sides.map((side) => [side, createDeck(pairsOf(market, side), seed)]));
  const withOtherPair = (request: TradeRequest): TradeRequest => {
    // Market makers may fill all of a trade, whose price cannot be moved then.
    if (request.useRfq) return { ...request, amount: request.amount * BEYOND_MAKERS_TIMES };
    const pair = decks.get(sideOf(request))?.deal();
    return pair === undefined ? request : { ...request, ...tradePair(market, pair, request) };
  };
  let waiting = requests.map(withTolerance);
  for (let attempt = 1; waiting.length > 0; attempt += 1) {
    const unmoved: TradeRequest[] = [];
    for (let at = 0; at < waiting.length; at += BATCH_SIZE) {
      const batch = waiting.slice(at, at + BATCH_SIZE);
      await requestOtherTolerances(forked, batch);
      const trades = await requestTrades(forked, batch);
      for (const { request, moved } of await moveAll(forked, trades, byCalldata)) {
        if (moved === undefined) skipped.push(skip(request));
        else if (typeof moved === 'string') unmoved.push(request);
        else moves.push(...moved);
        const why = typeof moved === 'string' ? moved : NOT_MOVED_ENOUGH;
        if (typeof moved === 'string' || attempt === 1) wanted.set(kindOfTrade(request), why);
      }
    }
    for (const [kind, tried] of byCalldata) if (tried < DONE) byCalldata.delete(kind);
    waiting = attempt === MAX_PAIRS ? [] : unmoved.map(withOtherPair);
  }
  // A sample need not judge every kind of trade, only some.
  const isSample = plans < MIN_PLANS_PER_KIND * wanted.size;
  return { items: moves, skipped, ...((!isSample || moves.length === 0) && { wanted }) };
}

/** Requests trades at another tolerance first, since a cached reply to one must not be returned for the other. */
async function requestOtherTolerances(
  { service }: ForkedMarket,
  requests: readonly TradeRequest[],
): Promise<void> {
  const others = requests.map((request) => ({
    ...request,
    slippageBps: request.slippageBps === 0 ? NO_PROTECTION_BPS : 0,
  }));
  await Promise.all(others.map((request) => service.get(targetInNotation(request))));
}

/** Most trades without tolerance get one, since markets on both sides of it show more. */
function withTolerance(request: TradeRequest, index: number): TradeRequest {
  if (request.slippageBps !== 0 || index % KEPT === 0) return request;
  return { ...request, slippageBps: TOLERANCES[index % TOLERANCES.length] };
}

/** Moves the prices of trades independently; undefined for one whose state the node did not return. */
function moveAll(forked: ForkedMarket, trades: readonly Trade[], byCalldata: Map<string, number>) {
  const moveOne = (trade: Trade) => async () => ({
    request: trade.request,
    moved: await undefinedIfNodeFailed(() => moveTrade(forked, trade, byCalldata)),
  });
  return new PQueue({ concurrency: CONCURRENT_TRADES }).addAll(trades.map(moveOne));
}

function skip(request: TradeRequest): SkippedPlan {
  return { trade: describeTrade(request), kind: 'not-read', reason: LOST };
}

/** Settles a trade in the nearest markets around its tolerance, or returns why there are none. */
async function moveTrade(
  forked: ForkedMarket,
  trade: Trade,
  byCalldata: Map<string, number>,
): Promise<readonly PriceMove[] | string> {
  const { session } = forked;
  const markets = await marketsOf(forked, trade, byCalldata);
  if (typeof markets === 'string') return markets;
  const beyond = markets.find((market) => isBeyond(market, trade));
  const within = isSplitOutput(trade)
    ? undefined
    : markets.findLast((market) => isWithin(market, trade));
  const chosen = [beyond, within].filter((market) => market !== undefined);
  if (chosen.length === 0) return NOT_MOVED_ENOUGH;
  return settleIn(session, trade, chosen);
}

/** Returns markets that are moved through all pools of a plan, or otherwise measured with the service's own calldata. */
async function marketsOf(
  forked: ForkedMarket,
  trade: Trade,
  byCalldata: Map<string, number>,
): Promise<readonly MovedMarket[] | string> {
  const { service, session } = forked;
  const { request, plan } = trade;
  const markets = await marketsByPools(session, trade);
  if (typeof markets !== 'string') return markets;
  const kind = [kindOfTrade(request), request.useRfq].join();
  const tried = byCalldata.get(kind) ?? 0;
  if (tried >= MAX_BY_CALLDATA) return markets;
  byCalldata.set(kind, tried + 1);
  const unprotected: TradeRequest = { ...request, slippageBps: NO_PROTECTION_BPS };
  const other = readSwapPlan(await service.get(targetOf(unprotected)));
  if (other?.transaction === undefined || !isSamePlan(other, plan)) return markets;
  const calldata = { ...trade, request: unprotected, transaction: other.transaction };
  const found = await marketsByCalldata(session, trade, calldata);
  // One such plan of each kind is enough.
  if (typeof found !== 'string') byCalldata.set(kind, DONE);
  return typeof found === 'string' ? `${markets}, and ${found}` : found;
}

async function settleIn(
  session: ForkSession,
  trade: Trade,
  markets: readonly MovedMarket[],
): Promise<readonly PriceMove[] | string> {
  const scenario = await scenarioOf(session, trade, session.blockTimeIn(NEXT_BLOCK_S));
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
  // A revert shows protection only if the trade settles otherwise.
  if (moves.some(({ effects }) => effects.kind === 'settled')) return moves;
  const unmoved = await settle({ provision: { overrides: {}, before: [] } });
  return unmoved.effects.kind === 'settled' ? moves : NOT_SETTLED;
}

/**
 * A router without a limit for a whole exact output limits each of its paths, one of which may have
 * moved further, or buys the planned amount of each pool. The specification does not define what it must
 * settle then.
 */
function isSplitOutput({ request, plan }: Trade): boolean {
  // A plan may go through one pool twice.
  const ways = new Map(
    plan.steps.flatMap(({ pool, from, to }) =>
      from.map(({ token }) => [[pool, token, ...to.map((each) => each.token)].join(' '), token]),
    ),
  );
  const sold = [...ways.values()];
  return request.swapKind === 'exact-output' && new Set(sold).size < sold.length;
}

/** Gains in basis points, visible and near the quote, and far above it: each with the range that counts. */
const GAINS_BP = [
  [4, 30, 90],
  [150, 400, 1_000],
] as const;

/** Minimum base units in which a gain shows. */
const MIN_AMOUNT = 10_000n;

function minOf(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

/** Settles one plan of each kind again at better prices than quoted. */
export async function improvePrices(
  session: ForkSession,
  items: readonly SettledPlan[],
): Promise<readonly SettledPlan[]> {
  const improved: SettledPlan[] = [];
  const done = new Set<string>();
  for (const item of items) {
    const { request, plan, now, effects } = item;
    if (request.useRfq || effects.kind === 'reverted') continue;
    if (now.scenario.block !== session.fork().block.number) continue;
    if (minOf(plan.sell.amount, plan.buy.amount) < MIN_AMOUNT) continue;
    const kind = [kindOfTrade(request), request.sell.native, request.buy.native].join();
    const waiting = GAINS_BP.filter((range) => !done.has([kind, range].join()));
    if (waiting.length === 0) continue;
    const limits = waiting.map(([, gain]) => (plan.buy.amount * BigInt(10_000 + gain)) / 10_000n);
    const [unmoved, ...markets] =
      (await undefinedIfNodeFailed(() => marketsInFavor(session, item, limits))) ?? [];
    if (unmoved === undefined) continue;
    const gainIn = ({ received }: MovedMarket) => bpBetween(received, unmoved.received);
    for (const range of waiting) {
      const [least, , most] = range;
      const market = markets.findLast((each) => gainIn(each) >= least && gainIn(each) <= most);
      const settled =
        market && (await undefinedIfNodeFailed(() => settleAgain(session, item, market)));
      if (settled === undefined) continue;
      improved.push(settled);
      done.add([kind, range].join());
    }
  }
  return improved;
}

/** Settles a plan again in a market that has moved since its quote. */
async function settleAgain(
  session: ForkSession,
  item: SettledPlan,
  { provision, received }: MovedMarket,
): Promise<SettledPlan> {
  const scenario = { ...item.now.scenario, ...joined(item.now.scenario, provision) };
  const now = { scenario, settlement: await simulate(session.fork(), scenario) };
  const effects = effectsOf(item, item.holders, now.settlement);
  const parties = partiesOf(item, item.holders, session.wrappedNative);
  const strays = await straysIn(session.fork(), item, parties, { ...now, settle: simulate });
  return {
    ...{ ...item, ...strays, effects, effectsLater: effects },
    ...{ now, limited: undefined, later: now, poolsGive: undefined, unmoved: false },
    alternativeYield: item.request.swapKind === 'exact-input' ? received : undefined,
  };
}
