import type { Exchange } from '../client/exchange.ts';
import { createDeck } from '../generate/deck.ts';
import { calldataRoutersOf } from '../generate/forms.ts';
import { RECIPIENT_ADDRESS } from '../generate/trades.ts';
import type { Executed } from '../model/executor.ts';
import type { PriceMove, SwapPlan } from '../model/settlement.ts';
import { kindOfTrade, type TradeRequest, targetOf } from '../model/trade-request.ts';
import { gainBp } from '../rule-kit/quote-distance.ts';
import { pairsOf, SIDES, SWAP_KINDS, type TradeForm, tradePair } from './choose-requests.ts';
import { NEXT_BLOCK_S } from './fork-session.ts';
import {
  isBeyond,
  isWithin,
  type MovedMarket,
  type Mover,
  moveByCalldata,
  moveByPools,
  moveSomePools,
} from './moved-markets.ts';
import { needsOf, type PlannedTrade } from './planned-trade.ts';
import { isSamePlan, readSwapPlan } from './read-swap-plan.ts';
import type { ForkedMarket } from './settle-trades.ts';
import { checkTrades } from './try-trades.ts';

type AnsweredTrade = PlannedTrade & { readonly exchange: Exchange };

/** Kind of plan whose price is moved. */
type PlanKind = Pick<TradeForm, 'router' | 'swapKind'>;

/** Tolerances in steps of 0.0001. Each kind of plan takes all of them, one list for each side that native is on. */
const TOLERANCES = [
  [0, 1, 5, 20],
  [50, 100, 500, 2_000],
  [0, 6_000, 9_000, 10_000],
] as const;
const WIDEST = TOLERANCES[2];
/** Pairs that are tried until the price of one can be moved. */
const MAX_PAIRS = 4;
const NO_PROTECTION_BPS = 10_000;
/** Divides the usual amount for small trades, which are split less. */
const SMALL_PARTS = 200n;
const SMALL_TRADE_BPS = 100;
/** Multiplies the usual amount for large trades. */
const LARGE_TIMES = 600n;
const EXTRA_TRADE_BPS = 50;
/** Multiples of the usual amount that may exceed what market makers fill but not what pools hold. */
const BEYOND_MAKERS_TIMES = [400n, 20n, 1n];
/** Targets around a tolerance, as parts of it, and how often they are approached. */
const TARGETS = [0.82, 0.9, 1.1];
const MAX_APPROACHES = 2;
/** Ratio of the losses on either side of a tolerance that is near enough. */
const NEAR_RATIO = 1.5;
const MAX_MARKETS_WITHIN = 3;
const MIN_LOSS_BPS = 1e-4;

/**
 * Moves the price of plans against their user, in the plans' own pools, by a
 * little more than their tolerance and by a little less, and settles them
 * there. The pools are moved by trades of our own, through no router.
 */
export async function movePrices(forked: ForkedMarket): Promise<Executed<PriceMove>> {
  const outcome: MoveOutcome = { moves: [], wanted: new Map() };
  const makers = new Map<TradeForm['router'], boolean>();
  const kinds = calldataRoutersOf(forked.market).flatMap((router) =>
    SWAP_KINDS.map((swapKind): PlanKind => ({ router, swapKind })),
  );
  for (const [index, kind] of kinds.entries()) {
    const moves = await moveKind(forked, kind, index, outcome, makers);
    outcome.moves.push(...moves);
  }
  return { items: outcome.moves, skipped: [], wanted: outcome.wanted };
}

type MoveOutcome = {
  readonly moves: PriceMove[];
  /** Kinds of trade that must be judged, with what may have prevented it. */
  readonly wanted: Map<string, string>;
};

/** Moves prices of one kind of plan: where native is on each side, of a large trade, and beside market makers. */
async function moveKind(
  forked: ForkedMarket,
  kind: PlanKind,
  index: number,
  { wanted }: MoveOutcome,
  makers: Map<TradeForm['router'], boolean>,
): Promise<readonly PriceMove[]> {
  const outcome: MoveOutcome = { moves: [], wanted };
  const form: TradeForm = { ...kind, recipient: undefined, slippageBps: undefined };
  for (const [at, side] of SIDES.entries()) {
    const recipient = (index + at) % 2 === 0 ? RECIPIENT_ADDRESS : undefined;
    const tolerances = TOLERANCES[(index + at) % TOLERANCES.length] ?? [];
    // The widest tolerances read the most of a pool: all routers share their pairs.
    const seed = tolerances === WIDEST ? 0 : index;
    const requests = requestsOf(forked, side, { ...form, recipient }, seed);
    await moveFirst(forked, requests, tolerances, outcome);
    if (side === 'neither') await moveSmallTrades(forked, requests, outcome);
  }
  const extra = requestsOf(forked, SIDES[index % SIDES.length] ?? 'neither', form, index);
  await moveFirst(forked, await besideMakers(forked, extra, makers), [EXTRA_TRADE_BPS], outcome);
  const large = extra.map((request) => ({ ...request, amount: request.amount * LARGE_TIMES }));
  await moveFirst(forked, large, [EXTRA_TRADE_BPS], outcome);
  for (const { request } of outcome.moves) {
    if (!wanted.has(kindOfTrade(request))) wanted.set(kindOfTrade(request), NOT_MOVED_ENOUGH);
  }
  return outcome.moves;
}

/** Moves the price of the first trade whose price can be moved. */
async function moveFirst(
  forked: ForkedMarket,
  requests: readonly TradeRequest[],
  tolerances: readonly number[],
  { moves, wanted }: MoveOutcome,
): Promise<void> {
  for (const request of requests) {
    const moved = await moveTrade(forked, request, tolerances);
    if (typeof moved === 'string') wanted.set(kindOfTrade(request), moved);
    else moves.push(...moved);
    if (typeof moved !== 'string' && moved.length > 0) return;
  }
}

/** Moves the price of small trades until one is judged both beyond its tolerance and within it. */
async function moveSmallTrades(
  forked: ForkedMarket,
  requests: readonly TradeRequest[],
  outcome: MoveOutcome,
): Promise<void> {
  for (const request of requests) {
    if (isJudgedBothWays(outcome.moves)) return;
    const small = { ...request, amount: request.amount / SMALL_PARTS + 1n };
    await moveFirst(forked, [small], [SMALL_TRADE_BPS], outcome);
  }
}

function isJudgedBothWays(moves: readonly PriceMove[]): boolean {
  const isBeyondTolerance = (move: PriceMove) => move.movedBps > move.toleranceBps;
  return moves.some(isBeyondTolerance) && !moves.every(isBeyondTolerance);
}

const NOT_SETTLED = 'its calldata does not settle on the market as it is';
const NOT_MOVED_ENOUGH = 'no price was moved far enough to judge it';

function requestsOf(
  { market, service }: ForkedMarket,
  side: (typeof SIDES)[number],
  form: TradeForm,
  index: number,
): readonly TradeRequest[] {
  const pairs = pairsOf(market, side);
  if (pairs.length === 0) return [];
  const deck = createDeck(pairs, service.seed + index);
  const length = Math.min(MAX_PAIRS, pairs.length);
  return Array.from({ length }, () => tradePair(market, deck.deal(), form));
}

/**
 * Returns the requests with `useRfq`, before them one whose plan uses both market
 * makers and pools: if makers fill all of a trade, its price cannot be moved.
 * Makers are recognized by what no plan without them uses. `makers` caches
 * whether a router's plans use any.
 */
async function besideMakers(
  { service }: ForkedMarket,
  requests: readonly TradeRequest[],
  makers: Map<TradeForm['router'], boolean>,
): Promise<readonly TradeRequest[]> {
  const withMakers = requests.map((request) => ({ ...request, useRfq: true }));
  const router = requests[0]?.router;
  if (router === undefined || makers.get(router) === false) return withMakers;
  const poolsOf = async (request: TradeRequest) => {
    const plan = readSwapPlan(await service.get(targetOf(request)));
    return new Set(plan?.steps.map(({ pool }) => pool));
  };
  let usesMakers = false;
  for (const times of BEYOND_MAKERS_TIMES) {
    const plans = await Promise.all(
      requests.map(async (request) => {
        const larger = { ...request, amount: request.amount * times };
        const [pools, all] = await Promise.all([
          poolsOf(larger),
          poolsOf({ ...larger, useRfq: true }),
        ]);
        const shared = [...all].filter((pool) => pools.has(pool)).length;
        return { larger, shared, makers: all.size - shared };
      }),
    );
    usesMakers ||= plans.some((plan) => plan.makers > 0);
    const found = plans.find((plan) => plan.shared > 0 && plan.makers > 0);
    if (found !== undefined) return [{ ...found.larger, useRfq: true }, ...withMakers];
  }
  makers.set(router, usesMakers);
  return withMakers;
}

/** Settles a trade around each tolerance, or returns why its price could not be moved. */
async function moveTrade(
  forked: ForkedMarket,
  request: TradeRequest,
  tolerances: readonly number[],
): Promise<readonly PriceMove[] | string> {
  const { session } = forked;
  const moves: PriceMove[] = [];
  let why = NOT_SETTLED;
  let isPlanned = false;
  let moved: { readonly plan: SwapPlan; readonly mover: Mover } | undefined;
  for (const slippageBps of tolerances) {
    const trade = await requestPlan(forked, { ...request, slippageBps });
    if (trade === undefined) continue;
    isPlanned = true;
    const { plan } = trade;
    if ((await session.refresh()) || moved === undefined || !isSamePlan(moved.plan, plan)) {
      const mover = await moverOf(forked, trade);
      if (typeof mover === 'string') why = mover;
      moved = typeof mover === 'string' ? undefined : { plan, mover };
    }
    if (moved === undefined) continue;
    const around = await settleAround(forked, trade, moved.mover);
    if (typeof around === 'string') why = around;
    else moves.push(...around);
  }
  return moves.length === 0 && isPlanned ? why : moves;
}

/** Moves a plan's pools by themselves, or some of them, or else by the service's calldata for the same plan. */
async function moverOf(forked: ForkedMarket, trade: AnsweredTrade): Promise<Mover | string> {
  const { session } = forked;
  const mover = await moveByPools(session, trade);
  if (typeof mover !== 'string') return mover;
  const unprotected = await requestPlan(forked, {
    ...trade.request,
    slippageBps: NO_PROTECTION_BPS,
  });
  if (unprotected === undefined || !isSamePlan(unprotected.plan, trade.plan)) return mover;
  const timestamp = session.blockTimeIn(NEXT_BLOCK_S);
  const some = await moveSomePools(session, unprotected, timestamp);
  if (typeof some !== 'string') return some;
  const other = await moveByCalldata(session, unprotected, timestamp);
  return typeof other === 'string' ? `${mover}, and ${other}` : other;
}

/** Settles a trade where the price moved least beyond its tolerance, and most within it, or returns why that is not possible. */
async function settleAround(
  { session }: ForkedMarket,
  trade: AnsweredTrade,
  mover: Mover,
): Promise<readonly PriceMove[] | string> {
  const toleranceBps = trade.request.slippageBps ?? 0;
  const refused = (await session.prepare(needsOf([trade]))).get(trade.plan.sell.token);
  if (!trade.request.sell.native && refused !== undefined) return refused;
  const markets = await marketsAround(trade, mover, toleranceBps);
  if (markets.length === 0) return NOT_MOVED_ENOUGH;
  const timestamp = session.blockTimeIn(NEXT_BLOCK_S);
  const outcomes = await checkTrades(
    session,
    markets.map((market) => ({
      ...trade,
      timestamp,
      earlier: market.earlier,
      code: market.code,
      expected: isBeyond(trade, market, toleranceBps) ? 'reverted' : 'settled',
    })),
  );
  // A revert shows protection only if the trade settles otherwise.
  if (!outcomes.some((effects) => effects?.kind === 'settled')) {
    const [unmoved] = await checkTrades(session, [{ ...trade, timestamp, expected: 'settled' }]);
    if (unmoved?.kind !== 'settled') return NOT_SETTLED;
  }
  return markets.flatMap((market, index) => {
    const effects = outcomes[index];
    const { request, plan, exchange } = trade;
    const movedBps = -gainBp(trade, market);
    return effects === undefined
      ? []
      : [{ request, plan, exchange, movedBps, toleranceBps, effects }];
  });
}

/** Returns the market moved least beyond a tolerance, and the one moved most within it, where there are any. */
async function marketsAround(
  trade: AnsweredTrade,
  mover: Mover,
  toleranceBps: number,
): Promise<readonly MovedMarket[]> {
  const isOut = (market: MovedMarket) => isBeyond(trade, market, toleranceBps);
  const lossOf = (market: MovedMarket) => Math.max(-gainBp(trade, market), MIN_LOSS_BPS);
  let markets = [...(await mover.reach(isOut))];
  for (let round = 0; round < MAX_APPROACHES && toleranceBps > 0; round += 1) {
    const far = markets.find(isOut);
    const near = markets.findLast((market) => !isOut(market));
    if (far === undefined || near === undefined) break;
    if (lossOf(far) / lossOf(near) < NEAR_RATIO) break;
    const span = Math.log(lossOf(far) / lossOf(near));
    const weights = TARGETS.map((part) => Math.log((toleranceBps * part) / lossOf(near)) / span);
    const between = await mover.between(
      near,
      far,
      weights.filter((weight) => weight > 0 && weight < 1),
    );
    markets = [...markets, ...between].sort((one, other) => lossOf(one) - lossOf(other));
  }
  const beyond = markets.find(isOut);
  const nearer = isSplitOutput(trade) ? [] : markets.filter((market) => !isOut(market));
  for (const market of nearer.reverse().slice(0, MAX_MARKETS_WITHIN)) {
    if (await isWithin(trade, market, toleranceBps)) {
      return beyond === undefined ? [market] : [beyond, market];
    }
  }
  return beyond === undefined ? [] : [beyond];
}

/**
 * A router without a limit for a whole exact output limits each of its paths,
 * one of which may have moved further, or buys of each pool what was planned:
 * the specification does not say what it must settle there.
 */
function isSplitOutput({ request, plan }: PlannedTrade): boolean {
  // A plan may go through one pool twice.
  const ways = new Map(
    plan.steps.flatMap(({ pool, from, to }) =>
      from.map(({ token }) => [[pool, token, ...to.map((each) => each.token)].join(' '), token]),
    ),
  );
  const sold = [...ways.values()];
  return request.swapKind === 'exact-output' && new Set(sold).size < sold.length;
}

async function requestPlan(
  { service }: ForkedMarket,
  request: TradeRequest,
): Promise<AnsweredTrade | undefined> {
  const exchange = await service.get(targetOf(request));
  const plan = readSwapPlan(exchange);
  if (plan?.transaction === undefined) return undefined;
  return { request, plan, transaction: plan.transaction, exchange };
}
