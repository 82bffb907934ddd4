import type { Exchange } from '../client/exchange.ts';
import type { ChainMarket, TradedPair } from '../discovery/facts.ts';
import { createDeck } from '../generate/deck.ts';
import { calldataRoutersOf } from '../generate/forms.ts';
import { RECIPIENT_ADDRESS } from '../generate/trades.ts';
import type { Session } from '../model/session.ts';
import { type Ask, requestOf } from './ask.ts';
import type { Bench } from './bench.ts';
import { pairsOf, SIDES, USER } from './choose-asks.ts';
import type { Effects, PriceMove } from './execution.ts';
import { leastBought, mostSold } from './limits.ts';
import { callOf, type Trade, tryTrades } from './settle.ts';
import { nextBlockTime } from './settle-trades.ts';
import { readSwapPlan, type SwapPlan } from './swap-plan.ts';

/** How prices are moved. */
export type MoveOptions = { readonly clock: () => number; readonly seed: number };

/** What a chain's moves came to. */
type Moves = { readonly items: readonly PriceMove[]; readonly skipped: readonly string[] };

/** A trade whose calldata protects nothing, and what it yields after having been made `repeats` times already. */
type Ladder = {
  readonly twin: Trade;
  readonly timestamp: number;
  readonly repeats: number;
  readonly movedBps: number;
  /** What it yields then. */
  readonly moved: Settled;
  /** How far the fork is off the quote before any move, rounded up. */
  readonly quoteOffBps: number;
};

type Settled = Extract<Effects, { readonly kind: 'settled' }>;

type Quoted = Trade & { readonly exchange: Exchange };

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
export async function movePrices(
  session: Session,
  bench: Bench,
  options: MoveOptions,
): Promise<Moves> {
  const market = session.facts.markets.get(bench.chainId);
  const items: PriceMove[] = [];
  const skipped: string[] = [];
  if (market === undefined) return { items, skipped };
  const kinds = calldataRoutersOf(market).flatMap((router) =>
    (['exact-input', 'exact-output'] as const).map((trade) => ({ router, trade })),
  );
  for (const [index, kind] of kinds.entries()) {
    const bySide = SIDES.map((side, at) =>
      asksOf(pairsOf(market, side), market, {
        ...kind,
        recipient: (index + at) % 2 === 0 ? RECIPIENT_ADDRESS : undefined,
        seed: options.seed + index,
      }),
    );
    const moves: PriceMove[] = [];
    for (const asks of bySide) moves.push(...(await moveOne(session, bench, options, asks)));
    items.push(...moves);
    const { trade, router } = kind;
    if (moves.length === 0) skipped.push(`${trade} on ${router}: no trade moved its price`);
  }
  return { items, skipped };
}

type Kind = Pick<Ask, 'router' | 'trade' | 'recipient'> & { readonly seed: number };

function asksOf(
  pairs: readonly TradedPair[],
  { chainId, standing }: ChainMarket,
  { seed, ...kind }: Kind,
): readonly Ask[] {
  if (pairs.length === 0) return [];
  const deck = createDeck(pairs, seed);
  return Array.from({ length: Math.min(PAIRS_TRIED, pairs.length) }, () => {
    const { sell, buy, sellAmount, buyAmount } = deck.deal();
    const amount = kind.trade === 'exact-input' ? sellAmount : buyAmount;
    const slippageBps = NO_PROTECTION_BPS;
    return { ...kind, chainId, standing, sell, buy, amount, slippageBps, user: USER };
  });
}

/** Tries the trades, each at ever larger amounts, until one has moved its price. */
async function moveOne(
  session: Session,
  bench: Bench,
  options: MoveOptions,
  asks: readonly Ask[],
): Promise<readonly PriceMove[]> {
  for (const ask of asks) {
    for (const scale of SCALES) {
      const scaled = { ...ask, amount: ask.amount * scale };
      const found = await moveTrade(session, bench, options, scaled);
      if (found.length > 0) return found;
    }
  }
  return [];
}

async function moveTrade(
  session: Session,
  bench: Bench,
  options: MoveOptions,
  ask: Ask,
): Promise<readonly PriceMove[]> {
  const twin = await quote(session, ask);
  if (twin === undefined) return [];
  await bench.refresh();
  const ladder = await climb(bench, twin, options);
  if (ladder === undefined) return [];
  const { movedBps } = ladder;
  const moves: PriceMove[] = [];
  for (const toleranceBps of tolerancesAround(ladder)) {
    const quoted = await quote(session, { ...ask, slippageBps: toleranceBps });
    // Another plan has other pools: what moved those of the twin says nothing of it.
    if (quoted === undefined || !isSamePlan(quoted.plan, twin.plan)) continue;
    const [effects] = await tryTrades(bench, [{ ...quoted, ...movedBy(ladder) }]);
    const { exchange } = quoted;
    if (effects !== undefined) {
      moves.push({ ask: quoted.ask, exchange, movedBps, toleranceBps, effects });
    }
  }
  return moves;
}

/**
 * Tolerances that a move exceeds, and one that it does not, as far off it as the
 * fork is off the quote besides. A router without a limit for a whole exact
 * output limits each of its paths, one of which may have moved further: what it
 * must settle is not said there.
 */
function tolerancesAround({ twin, moved, movedBps, quoteOffBps }: Ladder): readonly number[] {
  const below = Math.floor((movedBps * 4) / 5) - quoteOffBps;
  const above = Math.min(Math.ceil((movedBps * 5) / 4) + quoteOffBps, NO_PROTECTION_BPS);
  const paths = twin.plan.steps.filter(({ from }) =>
    from.some(({ token }) => token === twin.plan.sell.token),
  );
  const isLimitedByPath = twin.ask.trade === 'exact-output' && paths.length > 1;
  return [
    ...new Set([0, below].filter((bps) => bps >= 0 && isBeyond(twin, moved, bps))),
    ...[above].filter((bps) => !isLimitedByPath && isWithin(twin, moved, bps)),
  ];
}

/** Whether what a trade yields is worse than a tolerance allows, however its limit is rounded. */
function isBeyond({ ask, plan }: Trade, { received, spent }: Settled, slippageBps: number) {
  const asked = { ...ask, slippageBps };
  return ask.trade === 'exact-input'
    ? received < leastBought(asked, plan)
    : spent > mostSold(asked, plan);
}

/** Whether a tolerance allows what a trade yields, however its limit is rounded. */
function isWithin({ ask, plan }: Trade, { received, spent }: Settled, slippageBps: number) {
  return ask.trade === 'exact-input'
    ? received * 10_000n >= plan.buy.amount * BigInt(10_000 - slippageBps)
    : spent * 10_000n <= plan.sell.amount * BigInt(10_000 + slippageBps);
}

async function quote(session: Session, ask: Ask): Promise<Quoted | undefined> {
  const exchange = await session.get(requestOf(ask));
  const plan = readSwapPlan(exchange);
  if (plan?.settlement === undefined) return undefined;
  return { ask, plan, settlement: plan.settlement, exchange };
}

/** Makes the twin ever more often, until its price has moved far enough. */
async function climb(
  bench: Bench,
  twin: Trade,
  { clock }: MoveOptions,
): Promise<Ladder | undefined> {
  const most = mostSold(twin.ask, twin.plan);
  const times = BigInt((REPEATS.at(-1) ?? 0) + 1);
  if (!twin.ask.sell.native) {
    const refused = await bench.prepare(new Map([[twin.plan.sell.token, most * times]]));
    if (refused.has(twin.plan.sell.token)) return undefined;
  }
  const timestamp = nextBlockTime(bench, clock);
  const [unmoved] = await tryTrades(bench, [{ ...twin, timestamp }]);
  if (unmoved === undefined || unmoved.kind === 'reverted') return undefined;
  const quoteOffBps = offBps(twin, unmoved);
  const ladders = REPEATS.map((repeats) => ({ twin, timestamp, repeats }));
  const outcomes = await tryTrades(
    bench,
    ladders.map((ladder) => ({ ...twin, ...movedBy(ladder) })),
  );
  for (const [index, ladder] of ladders.entries()) {
    const moved = outcomes[index];
    if (moved === undefined || moved.kind === 'reverted') return undefined;
    const movedBps = lossBps(twin.ask, unmoved, moved);
    if (movedBps === undefined || movedBps > LARGEST_MOVE_BPS) return undefined;
    if (movedBps >= LEAST_MOVE_BPS) return { ...ladder, moved, movedBps, quoteOffBps };
  }
  return undefined;
}

function movedBy({ twin, timestamp, repeats }: Pick<Ladder, 'twin' | 'timestamp' | 'repeats'>) {
  return { timestamp, earlier: Array.from({ length: repeats }, () => callOf(twin)) };
}

/** How far a trade was off its quote, in steps of 0.0001, rounded up. */
function offBps({ ask, plan }: Trade, { received, spent }: Settled): number {
  const [did, quoted] =
    ask.trade === 'exact-input' ? [received, plan.buy.amount] : [spent, plan.sell.amount];
  const off = did > quoted ? did - quoted : quoted - did;
  return quoted > 0n ? Number((off * 10_000n + quoted - 1n) / quoted) : 0;
}

/** How much worse off the user is than on the unmoved market, in steps of 0.0001, rounded down. */
function lossBps({ trade }: Ask, unmoved: Settled, moved: Settled): number | undefined {
  const [was, loss] =
    trade === 'exact-input'
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
