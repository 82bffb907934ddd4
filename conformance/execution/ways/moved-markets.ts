import type { SwapPlan } from '../../model/settlement.ts';
import { minBought, type TradeRequest } from '../../model/trade-request.ts';
import type { ForkSession } from '../fork/fork-session.ts';
import { poolTradeIn } from '../fork/pool-scenario.ts';
import { PARTS, type PoolTrade, tradeCall, yieldsAfter } from '../settle/pool-trader.ts';
import type { Provision } from '../settle/provision.ts';
import { reversed, type Trader, traderFor } from './pool-yields.ts';

/** A market that others have traded in, and the yield of a plan there, in base units. */
export type MovedMarket = {
  /** Trades that move the market before the plan is settled. */
  readonly provision: Provision;
  readonly received: bigint;
};

/** A trade whose market is moved. */
export type MovableTrade = { readonly request: TradeRequest; readonly plan: SwapPlan };

/** Moves in parts of the plan, from a few millionths to thousands of times as much. */
const MOVES = Array.from({ length: 34 }, (_, doublings) => 8n << BigInt(doublings));
/** Markets that are tried between two of them. */
const BETWEEN = 7;
/** Moves in the user's favor. */
const REVERSED_MOVES = Array.from(
  { length: 20 },
  (_, doublings) => (PARTS << BigInt(doublings)) / 512n,
);

/**
 * Returns markets around the one at which a plan yields an amount for the given parts of what it
 * sells, in order of their moves against the plan; a text is the reason why there are none. Our
 * own trades in the plan's pools move them, through no router and without calldata of the service.
 */
export async function marketsAround(
  session: ForkSession,
  trade: MovableTrade,
  { sold, yielded }: { readonly sold: bigint; readonly yielded: bigint },
): Promise<readonly MovedMarket[] | string> {
  const pools = poolTradeIn(session, trade);
  if (typeof pools === 'string') return pools;
  const trader = await traderFor(session, pools, MOVES);
  if (typeof trader === 'string') return trader;
  const moved = (moves: readonly bigint[], until?: bigint) =>
    marketsAfter(session, { moving: pools, plan: pools, trade, trader }, { moves, sold, until });
  const rounding = uncertaintyOf(yielded);
  const until = yielded > rounding ? yielded - rounding : 0n;
  const markets = await moved(trader.moves, until);
  if (markets.length === 0) return NOT_TRADED;
  const near = markets.findLast(({ received }) => received >= until)?.move;
  // Beyond the liquidity of a pool, the plan does not settle.
  const far = trader.moves.find((move) => move > (near ?? 0n));
  const isBetween = near !== undefined && far !== undefined;
  const between = isBetween ? await moved(pointsBetween(near, far)) : [];
  return [...markets, ...between].sort((one, other) => (one.move < other.move ? -1 : 1));
}

const NOT_TRADED = 'one of its pools cannot be traded with directly';

/** Returns markets that our own trades have moved in the user's favor, the first of which is not moved. */
export async function marketsInFavor(
  session: ForkSession,
  trade: MovableTrade,
): Promise<readonly MovedMarket[]> {
  const plan = poolTradeIn(session, trade);
  const moving = poolTradeIn(session, { plan: reversed(trade.plan) });
  if (typeof plan === 'string' || typeof moving === 'string') return [];
  const trader = await traderFor(session, moving, [0n, ...REVERSED_MOVES], plan);
  if (typeof trader === 'string') return [];
  const { moves } = trader;
  return marketsAfter(session, { moving, plan, trade, trader }, { moves, sold: PARTS });
}

type Move = MovedMarket & { readonly move: bigint };

/**
 * Returns the markets after some moves at which the plan settles; none after the first that yields
 * less than `until`.
 */
async function marketsAfter(
  session: ForkSession,
  {
    moving,
    plan,
    trade,
    trader: { overrides },
  }: {
    readonly moving: PoolTrade;
    readonly plan: PoolTrade;
    readonly trade: MovableTrade;
    readonly trader: Trader;
  },
  {
    moves,
    sold,
    until,
  }: {
    readonly moves: readonly bigint[];
    readonly sold: bigint;
    readonly until?: bigint | undefined;
  },
): Promise<readonly Move[]> {
  const attempts = moves.map((moved) => ({ moved, sold }));
  const yields = await yieldsAfter(session.rpc(), { moving, plan }, attempts, { until, overrides });
  return moves.flatMap((move, index) => {
    const received = yields[index];
    if (received === undefined) return [];
    const before = move === 0n ? [] : [tradeCall(moving, move, trade.request.user)];
    return [{ move, received, provision: { overrides, before } }];
  });
}

function pointsBetween(near: bigint, far: bigint): readonly bigint[] {
  const ratio = Number(far) / Number(near);
  return Array.from({ length: BETWEEN }, (_, index) =>
    BigInt(Math.round(Number(near) * ratio ** ((index + 1) / (BETWEEN + 1)))),
  );
}

/** Amounts are known up to what routers round: base units, and a millionth. */
function uncertaintyOf(amount: bigint): bigint {
  return 2n + amount / 1_000_000n;
}

/** The yield of a trade at the limit of its tolerance: for exact output, of the most that it may sell. */
export type Limit = {
  /** Parts of what the plan sells. */
  readonly sold: bigint;
  /** In base units of the bought token. */
  readonly yielded: bigint;
};

/** Returns the limit of a trade with a slippage tolerance. */
export function limitOf({ request, plan }: MovableTrade): Limit {
  const { swapKind, slippageBps = 0 } = request;
  return swapKind === 'exact-input'
    ? { sold: PARTS, yielded: minBought(request, plan) }
    : { sold: (PARTS * BigInt(10_000 + slippageBps)) / 10_000n, yielded: plan.buy.amount };
}

/** Returns whether a market is surely beyond a limit, however that is rounded. */
export function isBeyond({ received }: MovedMarket, { yielded }: Limit): boolean {
  return received + uncertaintyOf(received) < yielded;
}

/** Returns whether a market is surely within a limit, however that is rounded. */
export function isWithin({ received }: MovedMarket, { yielded }: Limit): boolean {
  return received - uncertaintyOf(received) >= yielded;
}

/**
 * Returns the user's loss in a market compared with the quote, in basis points and fractions of
 * them. Each further unit that pools give costs more: an exact output costs at least as much more
 * than its limit as the limit yields less.
 */
export function lossBps({ request, plan }: MovableTrade, { received }: MovedMarket): number {
  const { amount } = plan.buy;
  if (request.swapKind === 'exact-input') return ratioOf(amount - received, amount);
  const limit = BigInt(10_000 + (request.slippageBps ?? 0));
  return ratioOf(limit * amount - 10_000n * received, 10_000n * received);
}

const PRECISION = 1_000_000_000_000n;

function ratioOf(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number((part * PRECISION) / whole) / (Number(PRECISION) / 10_000);
}
