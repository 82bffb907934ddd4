import type { Exchange } from '../client/exchange.ts';
import type { PriceMove, SwapPlan } from '../model/settlement.ts';
import { type TradeRequest, targetOf } from '../model/trade-request.ts';
import { gainBp } from '../rule-kit/quote-distance.ts';
import type { ForkedMarket } from './as-returned.ts';
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
import type { PlannedTrade } from './scenario.ts';
import { settleMoved } from './try-trades.ts';

type AnsweredTrade = PlannedTrade & { readonly exchange: Exchange };

/** Tolerance of calldata without protection. */
const NO_PROTECTION_BPS = 10_000;
/** Targets around a tolerance, as parts of it. */
const TARGETS = [0.82, 0.9, 1.1];
/** Maximum number of searches for markets nearer to a tolerance. */
const MAX_APPROACHES = 2;
/** Maximum ratio of the losses on the two sides of a tolerance. */
const NEAR_RATIO = 1.5;
const MAX_MARKETS_WITHIN = 3;
/** Minimum loss, so that its logarithm is finite. */
const MIN_LOSS_BPS = 1e-4;

const NOT_SETTLED = 'its calldata does not settle on the market as it is';
export const NOT_MOVED_ENOUGH = 'no price was moved far enough to judge it';

/** Settles a trade around each tolerance, or returns why its price could not be moved. */
export async function settleAtTolerances(
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

/** Moves all or some of a plan's pools directly, or otherwise with the service's calldata for the same plan. */
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

/**
 * Settles a trade after the smallest price move beyond its tolerance, and after the largest within it;
 * or returns why that is not possible.
 */
async function settleAround(
  { session }: ForkedMarket,
  trade: AnsweredTrade,
  mover: Mover,
): Promise<readonly PriceMove[] | string> {
  const toleranceBps = trade.request.slippageBps ?? 0;
  const markets = await marketsAround(trade, mover, toleranceBps);
  if (markets.length === 0) return NOT_MOVED_ENOUGH;
  const timestamp = session.blockTimeIn(NEXT_BLOCK_S);
  const outcomes = await settleMoved(
    session,
    markets.map((market) => ({
      ...trade,
      timestamp,
      earlier: market.earlier,
      overrides: market.overrides,
    })),
  );
  // A revert shows protection only if the trade settles otherwise.
  if (!outcomes.some((outcome) => outcome?.effects.kind === 'settled')) {
    const [unmoved] = await settleMoved(session, [{ ...trade, timestamp }]);
    if (unmoved?.effects.kind !== 'settled') return NOT_SETTLED;
  }
  return markets.flatMap((market, index) => {
    const now = outcomes[index];
    const { request, plan, exchange } = trade;
    const movedBps = -gainBp(trade, market);
    return now === undefined
      ? []
      : [{ request, plan, exchange, movedBps, toleranceBps, now, effects: now.effects }];
  });
}

/** Returns the least moved market beyond a tolerance, and the most moved one within it, if there are any. */
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
 * A router without a limit for a whole exact output limits each of its paths, one of which may have
 * moved further, or buys the planned amount of each pool. The specification does not define what it must
 * settle then.
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
