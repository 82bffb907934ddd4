import { createDeck } from '../generate/deck.ts';
import { calldataRoutersOf } from '../generate/forms.ts';
import { RECIPIENT_ADDRESS } from '../generate/trades.ts';
import type { Executed } from '../model/executor.ts';
import type { PriceMove } from '../model/settlement.ts';
import { kindOfTrade, type TradeRequest, targetOf } from '../model/trade-request.ts';
import type { ForkedMarket } from './as-returned.ts';
import {
  pairsOf,
  SIDES,
  type Side,
  SWAP_KINDS,
  type TradeForm,
  tradePair,
} from './choose-requests.ts';
import { readSwapPlan } from './read-swap-plan.ts';
import { NOT_MOVED_ENOUGH, settleAtTolerances } from './settle-around.ts';

/** Kind of plan whose price is moved; its index varies the pairs, tolerances and recipients. */
type PlanKind = Pick<TradeForm, 'router' | 'swapKind'> & { readonly index: number };

/** Trades that differ only in their tolerance. */
type Series = { readonly kind: PlanKind; readonly side: Side; readonly turn: number };

type Outcome = {
  readonly moves: PriceMove[];
  /** Kinds of trade that must be judged, each with a possible obstacle. */
  readonly wanted: Map<string, string>;
};

/** Tolerances in steps of 0.0001. Each kind of plan takes all of them, one list for each side of native. */
const TOLERANCES = [
  [0, 1, 5, 20],
  [50, 100, 500, 2_000],
  [0, 6_000, 9_000, 10_000],
] as const;
const [, USUAL, WIDEST] = TOLERANCES;
const SERIES_LENGTH = TOLERANCES[0].length;
/** Maximum pairs that are tried until the price of one can be moved. */
const MAX_PAIRS = 4;
/** Divides the usual amount for small trades, which are split less. */
const SMALL_PARTS = 200n;
const SMALL_TRADE_BPS = 100;
/** Multiplies the usual amount for large trades. */
const LARGE_TIMES = 600n;
const EXTRA_TRADE_BPS = 50;
/** Multiples of the usual amount that may exceed what market makers fill but not what pools hold. */
const BEYOND_MAKERS_TIMES = [400n, 20n, 1n];

/**
 * Moves the price of plans against their user, in the plans' own pools, by a little more than
 * their tolerance and by a little less, and settles them there. The pools are moved by trades of
 * our own, through no router. `plans` limits the number of trades, unless all kinds fit in.
 */
export async function movePrices(
  forked: ForkedMarket,
  plans: number,
): Promise<Executed<PriceMove>> {
  const outcome: Outcome = { moves: [], wanted: new Map() };
  const kinds = kindsOf(forked);
  const all = kinds.flatMap(seriesOf);
  const count = Math.ceil(plans / SERIES_LENGTH);
  if (count < all.length) {
    for (const series of spread(all, count, forked.service.seed + forked.market.chainId)) {
      await moveUntilJudged(forked, series, outcome);
    }
    // A sample need not judge every kind of trade, only some.
    const { moves, wanted } = outcome;
    return moves.length > 0 ? { items: moves, skipped: [] } : { items: [], skipped: [], wanted };
  }
  const makers = new Map<TradeForm['router'], boolean>();
  for (const kind of kinds) await moveKind(forked, kind, outcome, makers);
  return { items: outcome.moves, skipped: [], wanted: outcome.wanted };
}

function kindsOf({ market }: ForkedMarket): readonly PlanKind[] {
  return calldataRoutersOf(market)
    .flatMap((router) => SWAP_KINDS.map((swapKind) => ({ router, swapKind })))
    .map((kind, index) => ({ ...kind, index }));
}

function seriesOf(kind: PlanKind): readonly Series[] {
  return SIDES.map((side, at) => ({ kind, side, turn: kind.index + at }));
}

/** Returns items at equal distances in a list, from a given one on. */
function spread<Item>(all: readonly Item[], count: number, start: number): readonly Item[] {
  const chosen = Array.from({ length: count }, (_, index) =>
    all.at((start + Math.floor((index * all.length) / count)) % all.length),
  );
  return chosen.filter((item) => item !== undefined);
}

/** Moves prices of one kind of plan: with native on each side, of small and large trades, and with market makers. */
async function moveKind(
  forked: ForkedMarket,
  kind: PlanKind,
  { moves, wanted }: Outcome,
  makers: Map<TradeForm['router'], boolean>,
): Promise<void> {
  const outcome: Outcome = { moves: [], wanted };
  for (const series of seriesOf(kind)) {
    const requests = await moveSeries(forked, series, outcome);
    if (series.side === 'neither') await moveSmallTrades(forked, requests, outcome);
  }
  const extra = requestsOf(forked, {
    kind,
    side: SIDES[kind.index % SIDES.length] ?? 'neither',
  });
  await moveFirst(forked, await withMakers(forked, extra, makers), [EXTRA_TRADE_BPS], outcome);
  const large = extra.map((request) => ({ ...request, amount: request.amount * LARGE_TIMES }));
  await moveFirst(forked, large, [EXTRA_TRADE_BPS], outcome);
  wantAllMoved(outcome);
  moves.push(...outcome.moves);
}

/** Moves the price of a series, then of others of its kind until one is judged both beyond its tolerance and within it. */
async function moveUntilJudged(
  forked: ForkedMarket,
  first: Series,
  { moves, wanted }: Outcome,
): Promise<void> {
  const outcome: Outcome = { moves: [], wanted };
  const others = seriesOf(first.kind).filter(({ side }) => side !== first.side);
  for (const series of [first, ...others]) {
    const requests = await moveSeries(forked, series, outcome, USUAL);
    await moveSmallTrades(forked, requests, outcome);
    if (isJudgedBothWays(outcome.moves)) break;
  }
  moves.push(...outcome.moves);
}

/** Requires a judgment of every kind of trade whose price was moved. */
function wantAllMoved({ moves, wanted }: Outcome): void {
  for (const { request } of moves) {
    const kind = kindOfTrade(request);
    if (!wanted.has(kind)) wanted.set(kind, NOT_MOVED_ENOUGH);
  }
}

/** Moves the price of a series, and returns the trades that it was chosen from. */
async function moveSeries(
  forked: ForkedMarket,
  { kind, side, turn }: Series,
  outcome: Outcome,
  tolerances: readonly number[] = TOLERANCES[turn % TOLERANCES.length] ?? [],
): Promise<readonly TradeRequest[]> {
  const requests = requestsOf(forked, {
    kind,
    side,
    recipient: turn % 2 === 0 ? RECIPIENT_ADDRESS : undefined,
    // The widest tolerances read the most of a pool: all routers share their pairs.
    pairs: tolerances === WIDEST ? 0 : kind.index,
  });
  await moveFirst(forked, requests, tolerances, outcome);
  return requests;
}

/** Moves the price of the first trade whose price can be moved. */
async function moveFirst(
  forked: ForkedMarket,
  requests: readonly TradeRequest[],
  tolerances: readonly number[],
  { moves, wanted }: Outcome,
): Promise<void> {
  for (const request of requests) {
    const moved = await settleAtTolerances(forked, request, tolerances);
    if (typeof moved === 'string') wanted.set(kindOfTrade(request), moved);
    else moves.push(...moved);
    if (typeof moved !== 'string' && moved.length > 0) return;
  }
}

/** Moves the price of small trades until one is judged both beyond its tolerance and within it. */
async function moveSmallTrades(
  forked: ForkedMarket,
  requests: readonly TradeRequest[],
  outcome: Outcome,
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

function requestsOf(
  { market, service, session }: ForkedMarket,
  options: Pick<Series, 'kind' | 'side'> & {
    readonly recipient?: TradeForm['recipient'];
    /** Pairs of one number are the same. */
    readonly pairs?: number;
  },
): readonly TradeRequest[] {
  const { kind, side, recipient, pairs: number = kind.index } = options;
  const { router, swapKind } = kind;
  const pairs = pairsOf(market, side);
  if (pairs.length === 0) return [];
  const deck = createDeck(pairs, service.seed + number);
  const { user } = session.accounts;
  const form = { router, swapKind, recipient, user, slippageBps: undefined };
  const length = Math.min(MAX_PAIRS, pairs.length);
  return Array.from({ length }, () => tradePair(market, deck.deal(), form));
}

/**
 * Returns the requests with `useRfq`, before them one whose plan uses both market makers and
 * pools: if makers fill all of a trade, its price cannot be moved. Makers are the pools that no
 * plan without `useRfq` uses. `makers` caches whether a router's plans use any.
 */
async function withMakers(
  { service }: ForkedMarket,
  requests: readonly TradeRequest[],
  makers: Map<TradeForm['router'], boolean>,
): Promise<readonly TradeRequest[]> {
  const plain = requests.map((request) => ({ ...request, useRfq: true }));
  const router = requests[0]?.router;
  if (router === undefined || makers.get(router) === false) return plain;
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
    if (found !== undefined) return [{ ...found.larger, useRfq: true }, ...plain];
  }
  makers.set(router, usesMakers);
  return plain;
}
