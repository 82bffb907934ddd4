import type { Exchange } from '../client/exchange.ts';
import { createDeck } from '../generate/deck.ts';
import { calldataRoutersOf } from '../generate/forms.ts';
import { RECIPIENT_ADDRESS } from '../generate/trades.ts';
import type { Executed } from '../model/executor.ts';
import type { Effects, PriceMove, SwapPlan } from '../model/settlement.ts';
import { leastBought, mostSold, type TradeRequest, targetOf } from '../model/trade-request.ts';
import { pairsOf, SIDES, SWAP_KINDS, type TradeForm, tradePair } from './choose-requests.ts';
import { type ForkSession, NEXT_BLOCK_S } from './fork-session.ts';
import { readSwapPlan } from './read-swap-plan.ts';
import type { ForkedMarket } from './settle-trades.ts';
import { callOf, type PlannedTrade, tryTrades } from './try-trades.ts';

/** A market in which a trade without protection has been made `repeats` times, and what it then yields. */
type MovedMarket = {
  readonly trade: PlannedTrade;
  readonly timestamp: number;
  readonly repeats: number;
  readonly movedBps: number;
  readonly yields: Settled;
  /** How far the fork is off the quote before any move, rounded up. */
  readonly quoteOffBps: number;
};

type Settled = Extract<Effects, { readonly kind: 'settled' }>;

/** Pairs that are tried until one has moved its price, where native is sold, where it is bought, and elsewhere. */
const PAIRS_TRIED = 2;
const REPEATS = [1, 2, 4, 8, 16, 32];
/** Times the amount that a pair is known to trade at: deep pools need a large trade to move. */
const SCALES = [1n, 16n, 128n];
/** Moves worth judging: well above rounding, and well below the ruin of the pool. */
const LEAST_MOVE_BPS = 30;
const LARGEST_MOVE_BPS = 4_000;
const NO_PROTECTION_BPS = 10_000;

/**
 * Moves the price of plans against their user, in the plans' own pools, and
 * settles each with no tolerance, with one of four fifths of the move, and with
 * one of five fourths.
 *
 * The pools are moved by the plan itself: the same trade is asked for with a
 * tolerance of 1, which protects nothing, and is made again and again. What it
 * yields at last is what the user would get: the move, whatever the pools are.
 */
export async function movePrices(forked: ForkedMarket): Promise<Executed<PriceMove>> {
  const items: PriceMove[] = [];
  const skipped: string[] = [];
  const kinds = calldataRoutersOf(forked.market).flatMap((router) =>
    SWAP_KINDS.map((swapKind) => ({ router, swapKind })),
  );
  for (const [index, kind] of kinds.entries()) {
    const moves: PriceMove[] = [];
    for (const [at, side] of SIDES.entries()) {
      const recipient = (index + at) % 2 === 0 ? RECIPIENT_ADDRESS : undefined;
      const form: TradeForm = { ...kind, recipient, slippageBps: NO_PROTECTION_BPS };
      moves.push(...(await moveOne(forked, requestsOf(forked, side, form, index))));
    }
    items.push(...moves);
    const { swapKind, router } = kind;
    if (moves.length === 0) skipped.push(`${swapKind} on ${router}: no trade moved its price`);
  }
  return { items, skipped };
}

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

/** Tries the trades, each at ever larger amounts, until one has moved its price. */
async function moveOne(
  forked: ForkedMarket,
  requests: readonly TradeRequest[],
): Promise<readonly PriceMove[]> {
  for (const request of requests) {
    for (const scale of SCALES) {
      const moves = await moveTrade(forked, { ...request, amount: request.amount * scale });
      if (moves.length > 0) return moves;
    }
  }
  return [];
}

async function moveTrade(
  forked: ForkedMarket,
  request: TradeRequest,
): Promise<readonly PriceMove[]> {
  const { session } = forked;
  const unprotected = await askPlan(forked, request);
  if (unprotected === undefined) return [];
  await session.refresh();
  const market = await moveMarket(session, unprotected);
  if (market === undefined) return [];
  const { movedBps } = market;
  const moves: PriceMove[] = [];
  for (const toleranceBps of tolerancesAround(market)) {
    const trade = await askPlan(forked, { ...request, slippageBps: toleranceBps });
    // Another plan has other pools: what moved those of the first says nothing of it.
    if (trade === undefined || !isSamePlan(trade.plan, unprotected.plan)) continue;
    const [effects] = await tryTrades(session, [{ ...trade, ...after(market) }]);
    if (effects === undefined) continue;
    const { exchange } = trade;
    moves.push({ request: trade.request, exchange, movedBps, toleranceBps, effects });
  }
  return moves;
}

/**
 * Tolerances that a move exceeds, and one that it does not, as far off it as the
 * fork is off the quote besides. A router without a limit for a whole exact
 * output limits each of its paths, one of which may have moved further: what it
 * must settle is not said there.
 */
function tolerancesAround({
  trade,
  yields,
  movedBps,
  quoteOffBps,
}: MovedMarket): readonly number[] {
  const below = Math.floor((movedBps * 4) / 5) - quoteOffBps;
  const above = Math.min(Math.ceil((movedBps * 5) / 4) + quoteOffBps, NO_PROTECTION_BPS);
  const paths = trade.plan.steps.filter(({ from }) =>
    from.some(({ token }) => token === trade.plan.sell.token),
  );
  const isLimitedByPath = trade.request.swapKind === 'exact-output' && paths.length > 1;
  return [
    ...new Set([0, below].filter((bps) => bps >= 0 && isBeyond(trade, yields, bps))),
    ...[above].filter((bps) => !isLimitedByPath && isWithin(trade, yields, bps)),
  ];
}

/** Whether what a trade yields is worse than a tolerance allows, however its limit is rounded. */
function isBeyond(
  { request, plan }: PlannedTrade,
  { received, spent }: Settled,
  slippageBps: number,
): boolean {
  const tolerant = { ...request, slippageBps };
  return request.swapKind === 'exact-input'
    ? received < leastBought(tolerant, plan)
    : spent > mostSold(tolerant, plan);
}

/** Whether a tolerance allows what a trade yields, however its limit is rounded. */
function isWithin(
  { request, plan }: PlannedTrade,
  { received, spent }: Settled,
  slippageBps: number,
): boolean {
  return request.swapKind === 'exact-input'
    ? received * 10_000n >= plan.buy.amount * BigInt(10_000 - slippageBps)
    : spent * 10_000n <= plan.sell.amount * BigInt(10_000 + slippageBps);
}

async function askPlan(
  { service }: ForkedMarket,
  request: TradeRequest,
): Promise<(PlannedTrade & { readonly exchange: Exchange }) | undefined> {
  const exchange = await service.get(targetOf(request));
  const plan = readSwapPlan(exchange);
  if (plan?.transaction === undefined) return undefined;
  return { request, plan, transaction: plan.transaction, exchange };
}

/** Makes a trade ever more often, until its price has moved far enough. */
async function moveMarket(
  session: ForkSession,
  trade: PlannedTrade,
): Promise<MovedMarket | undefined> {
  const { request, plan } = trade;
  const times = BigInt((REPEATS.at(-1) ?? 0) + 1);
  if (!request.sell.native) {
    const { token } = plan.sell;
    const refused = await session.prepare(new Map([[token, mostSold(request, plan) * times]]));
    if (refused.has(token)) return undefined;
  }
  const timestamp = session.blockTimeIn(NEXT_BLOCK_S);
  const [unmoved] = await tryTrades(session, [{ ...trade, timestamp }]);
  if (unmoved === undefined || unmoved.kind === 'reverted') return undefined;
  const quoteOffBps = offBps(trade, unmoved);
  const markets = REPEATS.map((repeats) => ({ trade, timestamp, repeats }));
  const outcomes = await tryTrades(
    session,
    markets.map((market) => ({ ...trade, ...after(market) })),
  );
  for (const [index, market] of markets.entries()) {
    const yields = outcomes[index];
    if (yields === undefined || yields.kind === 'reverted') return undefined;
    const movedBps = lossBps(request, unmoved, yields);
    if (movedBps === undefined || movedBps > LARGEST_MOVE_BPS) return undefined;
    if (movedBps >= LEAST_MOVE_BPS) return { ...market, yields, movedBps, quoteOffBps };
  }
  return undefined;
}

/** When and after which calls a trade is made in a moved market. */
function after({
  trade,
  timestamp,
  repeats,
}: Pick<MovedMarket, 'trade' | 'timestamp' | 'repeats'>) {
  return { timestamp, earlier: Array.from({ length: repeats }, () => callOf(trade)) };
}

/** How far a trade was off its quote, in steps of 0.0001, rounded up. */
function offBps({ request, plan }: PlannedTrade, { received, spent }: Settled): number {
  const [did, quoted] =
    request.swapKind === 'exact-input' ? [received, plan.buy.amount] : [spent, plan.sell.amount];
  const off = did > quoted ? did - quoted : quoted - did;
  return quoted > 0n ? Number((off * 10_000n + quoted - 1n) / quoted) : 0;
}

/** How much worse off the user is than on the unmoved market, in steps of 0.0001, rounded down. */
function lossBps({ swapKind }: TradeRequest, unmoved: Settled, moved: Settled): number | undefined {
  const [was, loss] =
    swapKind === 'exact-input'
      ? [unmoved.received, unmoved.received - moved.received]
      : [unmoved.spent, moved.spent - unmoved.spent];
  return was > 0n ? Number((loss * 10_000n) / was) : undefined;
}

function isSamePlan(one: SwapPlan, other: SwapPlan): boolean {
  const textOf = ({ sell, buy, steps }: SwapPlan) =>
    JSON.stringify([sell, buy, steps], (_, value: unknown) =>
      typeof value === 'bigint' ? `${value}` : value,
    );
  return textOf(one) === textOf(other);
}
