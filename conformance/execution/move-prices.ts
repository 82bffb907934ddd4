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
import { isSamePlan, readSwapPlan } from './read-swap-plan.ts';
import { type ForkedMarket, needsOf } from './settle-trades.ts';
import { type PlannedTrade, tryTrades } from './try-trades.ts';

type AskedTrade = PlannedTrade & { readonly exchange: Exchange };

/** Tolerances in steps of 0.0001: each router has them all, for either amount, the sides taking turns. */
const TOLERANCES = [
  [0, 1, 5, 20],
  [50, 100, 500, 2_000],
  [0, 6_000, 9_000, 10_000],
] as const;
const DEEPEST = TOLERANCES[2];
/** Pairs that are tried until the price of one has been moved, where native is sold, bought, and neither. */
const PAIRS_TRIED = 4;
const NO_PROTECTION_BPS = 10_000;
/** What part of the usual amount a small trade is. */
const SMALL = 200n;
/** One trade of each kind asks market makers too, and one is so many times as large. */
const UNUSUAL = [
  { useRfq: true, times: 1n },
  { useRfq: false, times: 600n },
] as const;
const UNUSUAL_BPS = 50;
/** How many times the usual amount may be more than market makers fill, and no more than pools have: the larger, the less is theirs. */
const FILLS = [400n, 20n, 1n];
/** How near to a tolerance prices are moved, as parts of it, and how often that is tried. */
const AROUND = [0.82, 0.9, 1.1];
const ROUNDS = 2;
const NEAR_ENOUGH = 1.5;
const TRIED_WITHIN = 3;
const LEAST_LOSS_BPS = 1e-4;

/**
 * Moves the price of plans against their user, in the plans' own pools, by a
 * little more than their tolerance and by a little less, and settles them
 * there. The pools are moved by trades of our own, through no router.
 */
export async function movePrices(forked: ForkedMarket): Promise<Executed<PriceMove>> {
  const items: PriceMove[] = [];
  const wanted = new Map<string, string>();
  const withoutMakers = new Set<TradeForm['router']>();
  const kinds = calldataRoutersOf(forked.market).flatMap((router) =>
    SWAP_KINDS.map((swapKind) => ({ router, swapKind })),
  );
  for (const [index, kind] of kinds.entries()) {
    const moves: PriceMove[] = [];
    /** Moves the price of the first of some trades that it can be moved of. */
    const moveOne = async (requests: readonly TradeRequest[], tolerances: readonly number[]) => {
      const before = moves.length;
      for (const request of requests) {
        const moved = await moveTrade(forked, request, tolerances);
        if (typeof moved === 'string') wanted.set(kindOfTrade(request), moved);
        else moves.push(...moved);
        if (moves.length > before) return;
      }
    };
    for (const [at, side] of SIDES.entries()) {
      const recipient = (index + at) % 2 === 0 ? RECIPIENT_ADDRESS : undefined;
      const tolerances = TOLERANCES[(index + at) % TOLERANCES.length] ?? [];
      const form: TradeForm = { ...kind, recipient, slippageBps: undefined };
      // The furthest moves read the most of a pool: all routers share their pairs.
      const seed = tolerances === DEEPEST ? 0 : index;
      const requests = requestsOf(forked, side, form, seed);
      await moveOne(requests, tolerances);
      for (const request of at === SIDES.length - 1 ? requests : []) {
        // Small trades are split less, so that more of them must settle.
        const small = { ...request, amount: request.amount / SMALL + 1n };
        if (!isJudgedBothWays(moves)) await moveOne([small], [100]);
      }
    }
    const unusual: TradeForm = { ...kind, recipient: undefined, slippageBps: undefined };
    for (const { useRfq, times } of UNUSUAL) {
      const side = SIDES[index % SIDES.length] ?? 'neither';
      const requests = requestsOf(forked, side, unusual, index).map((request) => ({
        ...{ ...request, ...(useRfq && { useRfq }) },
        amount: request.amount * times,
      }));
      const isSought = useRfq && !withoutMakers.has(kind.router);
      const beside = isSought ? await besideMakers(forked, requests) : requests;
      if (beside === undefined) withoutMakers.add(kind.router);
      await moveOne(beside ?? requests, [UNUSUAL_BPS]);
    }
    for (const { request } of moves) {
      if (!wanted.has(kindOfTrade(request))) wanted.set(kindOfTrade(request), NOT_MOVED_ENOUGH);
    }
    items.push(...moves);
  }
  return { items, skipped: [], wanted };
}

function isJudgedBothWays(moves: readonly PriceMove[]): boolean {
  const isBeyondOne = (move: PriceMove) => move.movedBps > move.toleranceBps;
  return moves.some(isBeyondOne) && !moves.every(isBeyondOne);
}

const NOT_SETTLED = 'its calldata does not settle on the market as it is';
const NOT_MOVED_ENOUGH = 'no price was moved to where it tells';

function requestsOf(
  { market, service }: ForkedMarket,
  side: (typeof SIDES)[number],
  form: TradeForm,
  index: number,
): readonly TradeRequest[] {
  const pairs = pairsOf(market, side);
  if (pairs.length === 0) return [];
  const deck = createDeck(pairs, service.seed + index);
  const length = Math.min(PAIRS_TRIED, pairs.length);
  return Array.from({ length }, () => tradePair(market, deck.deal(), form));
}

/**
 * Returns the same requests, before them one at an amount for which the plan goes
 * through market makers and pools, as seen by what no plan without market makers
 * goes through: where makers fill all, no price moves. Undefined where none goes
 * through anything that plans without market makers do not.
 */
async function besideMakers(
  { service }: ForkedMarket,
  requests: readonly TradeRequest[],
): Promise<readonly TradeRequest[] | undefined> {
  const poolsOf = async (request: TradeRequest) => {
    const plan = readSwapPlan(await service.get(targetOf(request)));
    return new Set(plan?.steps.map(({ pool }) => pool));
  };
  let areMakersSeen = false;
  for (const times of FILLS) {
    const plans = await Promise.all(
      requests.map(async ({ useRfq: _, ...request }) => {
        const larger = { ...request, amount: request.amount * times };
        const [pools, beside] = await Promise.all([
          poolsOf(larger),
          poolsOf({ ...larger, useRfq: true }),
        ]);
        const known = [...beside].filter((pool) => pools.has(pool)).length;
        return { larger, known, others: beside.size - known };
      }),
    );
    const found = plans.find(({ known, others }) => known > 0 && others > 0);
    if (found !== undefined) return [{ ...found.larger, useRfq: true }, ...requests];
    areMakersSeen ||= plans.some(({ others }) => others > 0);
  }
  return areMakersSeen ? requests : undefined;
}

/** Settles a trade with each tolerance around it; a text says why its price could not be moved. */
async function moveTrade(
  forked: ForkedMarket,
  request: TradeRequest,
  tolerances: readonly number[],
): Promise<readonly PriceMove[] | string> {
  const { session } = forked;
  const moves: PriceMove[] = [];
  let why = NOT_SETTLED;
  let isAnswered = false;
  let moved: { readonly plan: SwapPlan; readonly mover: Mover } | undefined;
  for (const slippageBps of tolerances) {
    const trade = await askPlan(forked, { ...request, slippageBps });
    if (trade === undefined) continue;
    isAnswered = true;
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
  return moves.length === 0 && isAnswered ? why : moves;
}

/** Moves a plan's pools by themselves, or some of them, or else by the service's calldata for the same plan. */
async function moverOf(forked: ForkedMarket, trade: AskedTrade): Promise<Mover | string> {
  const { session } = forked;
  const mover = await moveByPools(session, trade);
  if (typeof mover !== 'string') return mover;
  const unprotected = await askPlan(forked, { ...trade.request, slippageBps: NO_PROTECTION_BPS });
  if (unprotected === undefined || !isSamePlan(unprotected.plan, trade.plan)) return mover;
  const timestamp = session.blockTimeIn(NEXT_BLOCK_S);
  const some = await moveSomePools(session, unprotected, timestamp);
  if (typeof some !== 'string') return some;
  const other = await moveByCalldata(session, unprotected, timestamp);
  return typeof other === 'string' ? `${mover}, and ${other}` : other;
}

/** Settles a trade where the price moved least beyond its tolerance, and where it moved most within it; a text says why not. */
async function settleAround(
  { session }: ForkedMarket,
  trade: AskedTrade,
  mover: Mover,
): Promise<readonly PriceMove[] | string> {
  const toleranceBps = trade.request.slippageBps ?? 0;
  const refused = (await session.prepare(needsOf([trade]))).get(trade.plan.sell.token);
  if (!trade.request.sell.native && refused !== undefined) return refused;
  const markets = await marketsAround(trade, mover, toleranceBps);
  if (markets.length === 0) return NOT_MOVED_ENOUGH;
  const timestamp = session.blockTimeIn(NEXT_BLOCK_S);
  const outcomes = await tryTrades(
    session,
    markets.map(({ earlier, code }) => ({ ...trade, timestamp, earlier, code })),
  );
  // A revert tells of protection only where the trade settles otherwise.
  if (!outcomes.some((effects) => effects?.kind === 'settled')) {
    const [unmoved] = await tryTrades(session, [{ ...trade, timestamp }]);
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
  trade: AskedTrade,
  mover: Mover,
  toleranceBps: number,
): Promise<readonly MovedMarket[]> {
  const isOut = (market: MovedMarket) => isBeyond(trade, market, toleranceBps);
  const lossOf = (market: MovedMarket) => Math.max(-gainBp(trade, market), LEAST_LOSS_BPS);
  let markets = [...(await mover.reach(isOut))];
  for (let round = 0; round < ROUNDS && toleranceBps > 0; round += 1) {
    const far = markets.find(isOut);
    const near = markets.findLast((market) => !isOut(market));
    if (far === undefined || near === undefined) break;
    if (lossOf(far) / lossOf(near) < NEAR_ENOUGH) break;
    const span = Math.log(lossOf(far) / lossOf(near));
    const weights = AROUND.map((part) => Math.log((toleranceBps * part) / lossOf(near)) / span);
    const between = await mover.between(
      near,
      far,
      weights.filter((weight) => weight > 0 && weight < 1),
    );
    markets = [...markets, ...between].sort((one, other) => lossOf(one) - lossOf(other));
  }
  const beyond = markets.find(isOut);
  const nearer = isSplitOutput(trade) ? [] : markets.filter((market) => !isOut(market));
  for (const market of nearer.reverse().slice(0, TRIED_WITHIN)) {
    if (await isWithin(trade, market, toleranceBps)) {
      return beyond === undefined ? [market] : [beyond, market];
    }
  }
  return beyond === undefined ? [] : [beyond];
}

/**
 * A router without a limit for a whole exact output limits each of its paths,
 * one of which may have moved further, or buys of each pool what was planned:
 * what it must settle is not said there.
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

async function askPlan(
  { service }: ForkedMarket,
  request: TradeRequest,
): Promise<AskedTrade | undefined> {
  const exchange = await service.get(targetOf(request));
  const plan = readSwapPlan(exchange);
  if (plan?.transaction === undefined) return undefined;
  return { request, plan, transaction: plan.transaction, exchange };
}
