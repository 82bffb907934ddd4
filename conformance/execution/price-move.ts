import type { Exchange } from '../client/exchange.ts';
import type { RouterName } from '../contract/resources.ts';
import type { ChainMarket, TradedPair } from '../discovery/facts.ts';
import { createDeck } from '../generate/deck.ts';
import { calldataRoutersOf } from '../generate/forms.ts';
import type { Session } from '../runner/session.ts';
import { type Ask, requestOf } from './ask.ts';
import type { Bench } from './bench.ts';
import { USER } from './choose-asks.ts';
import type { Effects, PriceMove } from './execution.ts';
import { mostSold } from './limits.ts';
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
};

type Quoted = Trade & { readonly exchange: Exchange };

/** Trades a router that are tried until as many as wanted have moved their price. */
const PAIRS_TRIED = 4;
const MOVES_WANTED = 2;
const REPEATS = [1, 2, 4, 8, 16, 32];
/** Times the amount that a pair is known to trade at: deep pools need a large trade to move. */
const SCALES = [1n, 16n, 128n];
/** Moves worth judging: well above rounding, and well below the ruin of the pool. */
const LEAST_MOVE_BPS = 12;
const LARGEST_MOVE_BPS = 4_000;
const NO_PROTECTION_BPS = 10_000;

/**
 * Moves the price of plans against their user, in the plans' own pools, and
 * settles each twice: with a tolerance of half the move, and of twice.
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
  for (const router of calldataRoutersOf(market)) {
    for (const trade of ['exact-input', 'exact-output'] as const) {
      const kind = { router, trade };
      const moves = await moveTrades(session, bench, options, asksOf(market, kind, options.seed));
      items.push(...moves);
      if (moves.length === 0) skipped.push(`${trade} on ${router}: no trade moved its price`);
    }
  }
  return { items, skipped };
}

type Kind = { readonly router: RouterName; readonly trade: Ask['trade'] };

function asksOf(market: ChainMarket, { router, trade }: Kind, seed: number): readonly Ask[] {
  const deck = createDeck<TradedPair>(market.pairs, seed);
  return Array.from({ length: Math.min(PAIRS_TRIED, market.pairs.length) }, () => {
    const { sell, buy, sellAmount, buyAmount } = deck.deal();
    const amount = trade === 'exact-input' ? sellAmount : buyAmount;
    const { chainId } = market;
    const recipient = undefined;
    const slippageBps = NO_PROTECTION_BPS;
    return { chainId, router, trade, sell, buy, amount, slippageBps, user: USER, recipient };
  });
}

async function moveTrades(
  session: Session,
  bench: Bench,
  options: MoveOptions,
  asks: readonly Ask[],
): Promise<readonly PriceMove[]> {
  const moves: PriceMove[] = [];
  let moved = 0;
  for (const ask of asks) {
    for (const scale of SCALES) {
      const scaled = { ...ask, amount: ask.amount * scale };
      const found = await moveTrade(session, bench, options, scaled);
      moves.push(...found);
      if (found.length > 0) {
        moved += 1;
        break;
      }
    }
    if (moved === MOVES_WANTED) break;
  }
  return moves;
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
  const tolerances = [Math.floor(movedBps / 2), Math.min(movedBps * 2, NO_PROTECTION_BPS)];
  const moves: PriceMove[] = [];
  for (const toleranceBps of tolerances) {
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
  const ladders = REPEATS.map((repeats) => ({ twin, timestamp, repeats }));
  const outcomes = await tryTrades(
    bench,
    ladders.map((ladder) => ({ ...twin, ...movedBy(ladder) })),
  );
  for (const [index, ladder] of ladders.entries()) {
    const movedBps = lossBps(twin.ask, unmoved, outcomes[index]);
    if (movedBps === undefined || movedBps > LARGEST_MOVE_BPS) return undefined;
    if (movedBps >= LEAST_MOVE_BPS) return { ...ladder, movedBps };
  }
  return undefined;
}

function movedBy({ twin, timestamp, repeats }: Omit<Ladder, 'movedBps'>) {
  return { timestamp, earlier: Array.from({ length: repeats }, () => callOf(twin)) };
}

/** How much worse off the user is than on the unmoved market, in steps of 0.0001, rounded down. */
function lossBps({ trade }: Ask, unmoved: Effects, moved: Effects | undefined): number | undefined {
  if (unmoved.kind === 'reverted' || moved === undefined || moved.kind === 'reverted') {
    return undefined;
  }
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
