import type { SwapPlan } from '../model/settlement.ts';
import { leastBought, mostSold, type TradeRequest } from '../model/trade-request.ts';
import { PARTS, type PriceMover, TRADER_OVERRIDES, tradeDirectly } from './direct-trades.ts';
import type { ForkSession } from './fork-session.ts';
import { callOf, type PlannedTrade } from './scenario.ts';
import type { UserCall } from './send.ts';
import { type MovedTrade, settleMoved } from './try-trades.ts';

/** A market that others have traded against a plan. */
export type MovedMarket = {
  readonly earlier: readonly UserCall[];
  readonly overrides?: MovedTrade['overrides'];
  /** What the plan yields there, and for exact output the least that it costs. */
  readonly received: bigint;
  readonly spent: bigint;
  /** Whether the plan surely costs no more than a tolerance allows, in steps of 0.0001. */
  readonly isAffordable: (toleranceBps: number) => Promise<boolean>;
};

/** Moves a market ever further. */
export type Mover = {
  /** Returns markets up to one that is moved far enough, or as far as it goes. */
  readonly reach: (isFar: (market: MovedMarket) => boolean) => Promise<readonly MovedMarket[]>;
  /** Returns markets between two of them: at 0 the first, at 1 the second. */
  readonly between: (
    near: MovedMarket,
    far: MovedMarket,
    at: readonly number[],
  ) => Promise<readonly MovedMarket[]>;
};

/** What is sold before the plan, of what the plan sells: from a few millionths to thousands of times as much. */
const COARSE = [-4, -3, -2, -1, 0, 1, 2, 3, 4].map((power) =>
  BigInt(Math.ceil(Number(PARTS) * 16 ** power)),
);
/** How many markets are tried at once. */
const AT_ONCE = 3;
const REPEATS = [1, 2, 4, 8, 16, 32];

/**
 * Returns markets that our own trades with the plan's pools have moved, made
 * through no router and with no calldata of the service; or says why there are none.
 */
export async function moveByPools(
  session: ForkSession,
  { request, plan }: PlannedTrade,
): Promise<Mover | string> {
  const most = COARSE.at(-1) ?? PARTS;
  const direct = await tradeDirectly(session, plan, most);
  if (typeof direct === 'string') return direct;
  const at = new Map<MovedMarket, bigint>();
  const moved = async (all: readonly bigint[]): Promise<readonly MovedMarket[]> => {
    const yields = await direct.yieldsAfter(all);
    return all.flatMap((parts, index) => {
      const received = yields[index];
      if (received === undefined || received <= 0n) return [];
      const market = marketAfter(direct, request, plan, parts, received);
      at.set(market, parts);
      return [market];
    });
  };
  return moverBy(moved, at);
}

/** Returns the part of a plan that is these steps, all of which sell what the plan sells; else undefined. */
function partialPlan(plan: SwapPlan, steps: SwapPlan['steps']): SwapPlan | undefined {
  const [buy] = steps.flatMap(({ to }) => to);
  const sold = steps.flatMap(({ from }) => from);
  const isFirst = sold.every(({ token }) => token === plan.sell.token);
  if (buy === undefined || !isFirst) return undefined;
  const amount = sold.reduce((sum, leg) => sum + leg.amount, 0n);
  return { ...plan, steps, sell: { ...plan.sell, amount }, buy };
}

/** Returns what moves a market by selling ever more of it, where `moved` tells what that does, and keeps at how much. */
function moverBy(
  moved: (all: readonly bigint[]) => Promise<readonly MovedMarket[]>,
  at: ReadonlyMap<MovedMarket, bigint>,
): Mover {
  const markets: MovedMarket[] = [];
  let waiting: readonly bigint[] = COARSE;
  return {
    reach: async (isFar) => {
      while (waiting.length > 0 && !markets.some(isFar)) {
        const next = await moved(waiting.slice(0, AT_ONCE));
        markets.push(...next);
        waiting = next.length === 0 ? [] : waiting.slice(AT_ONCE);
      }
      return markets;
    },
    between: async (near, far, weights) => {
      const [from, to] = [Number(at.get(near)), Number(at.get(far))];
      return moved(weights.map((weight) => BigInt(Math.round(from * (to / from) ** weight))));
    },
  };
}

/**
 * What pools give for the same input falls as a market moves, and each further
 * unit costs more: exact output costs at least as much more as exact input gives less.
 */
function marketAfter(
  { sell, yieldsAfter }: PriceMover,
  { swapKind }: TradeRequest,
  plan: SwapPlan,
  parts: bigint,
  received: bigint,
): MovedMarket {
  const sold = plan.sell.amount;
  const moved = { earlier: [sell(parts)], overrides: TRADER_OVERRIDES };
  if (swapKind === 'exact-input') {
    return { ...moved, received, spent: sold, isAffordable: async () => true };
  }
  const isAffordable = async (toleranceBps: number) => {
    const times = (PARTS * BigInt(10_000 + toleranceBps)) / 10_000n;
    const [bought = 0n] = await yieldsAfter([parts], times);
    return bought > plan.buy.amount;
  };
  const spent = (sold * plan.buy.amount) / received;
  return { ...moved, received: plan.buy.amount, spent, isAffordable };
}

/**
 * Returns markets that our own trades have moved with those pools of a plan that
 * sell what it sells and that we can trade with: beside them, a market maker's
 * order is filled once, and says no price. What the plan yields there, the
 * service's own calldata tells, made with a tolerance that protects nothing.
 */
export async function moveSomePools(
  session: ForkSession,
  unprotected: PlannedTrade,
  timestamp: number,
): Promise<Mover | string> {
  const { plan } = unprotected;
  const most = COARSE.at(-1) ?? PARTS;
  const steps: SwapPlan['steps'][number][] = [];
  for (const step of plan.steps) {
    const part = partialPlan(plan, [step]);
    const direct = part && (await tradeDirectly(session, part, most));
    if (direct !== undefined && typeof direct !== 'string') steps.push(step);
  }
  const part = partialPlan(plan, steps);
  const direct = part && (await tradeDirectly(session, part, most));
  if (direct === undefined) return 'no pool of what it sells can be traded with';
  if (typeof direct === 'string') return direct;
  const at = new Map<MovedMarket, bigint>();
  const moved = async (all: readonly bigint[]): Promise<readonly MovedMarket[]> => {
    const markets = await marketsAfter(
      session,
      { ...unprotected, timestamp },
      all.map((sold) => ({ earlier: [direct.sell(sold)], overrides: TRADER_OVERRIDES })),
    );
    return markets.flatMap((market, index) => {
      if (market === undefined) return [];
      at.set(market, all[index] ?? 0n);
      return [market];
    });
  };
  return moverBy(moved, at);
}

/**
 * Returns markets that the service's own calldata has moved, made with a
 * tolerance that protects nothing, for pools that we cannot trade with; or says
 * why there are none.
 */
export async function moveByCalldata(
  session: ForkSession,
  unprotected: PlannedTrade,
  timestamp: number,
): Promise<Mover | string> {
  const rounds = REPEATS.map((times) => Array.from({ length: times }, () => callOf(unprotected)));
  const trade = { ...unprotected, timestamp };
  const outcomes = await marketsAfter(
    session,
    trade,
    rounds.map((earlier) => ({ earlier })),
  );
  const markets = outcomes.filter((market) => market !== undefined);
  return markets.length === 0
    ? 'its calldata for a tolerance of 1 does not settle twice'
    : { reach: async () => markets, between: async () => [] };
}

/** Returns the markets after some moves, by what a trade without a limit does there; undefined where it does not settle. */
async function marketsAfter(
  session: ForkSession,
  trade: PlannedTrade & Pick<MovedTrade, 'timestamp'>,
  moves: readonly Pick<MovedMarket, 'earlier' | 'overrides'>[],
): Promise<readonly (MovedMarket | undefined)[]> {
  const outcomes = await settleMoved(
    session,
    moves.map((move) => ({ ...trade, ...move })),
  );
  return moves.map((move, index) => {
    const effects = outcomes[index]?.effects;
    if (effects?.kind !== 'settled') return undefined;
    const { spent, received } = effects;
    return { ...move, spent, received, isAffordable: async () => true };
  });
}

/** Amounts are known up to what routers round: base units, and a millionth. */
function uncertaintyOf(amount: bigint): bigint {
  return 2n + amount / 1_000_000n;
}

/** Returns whether a plan yields less than a tolerance allows, however its limit is rounded. */
export function isBeyond(
  { request, plan }: PlannedTrade,
  { received, spent }: MovedMarket,
  slippageBps: number,
): boolean {
  const tolerant = { ...request, slippageBps };
  return request.swapKind === 'exact-input'
    ? received + uncertaintyOf(received) < leastBought(tolerant, plan)
    : spent - uncertaintyOf(spent) > mostSold(tolerant, plan);
}

/** Returns whether a tolerance allows what a plan yields, however its limit is rounded. */
export async function isWithin(
  { request, plan }: PlannedTrade,
  { received, spent, isAffordable }: MovedMarket,
  slippageBps: number,
): Promise<boolean> {
  const isAllowed =
    request.swapKind === 'exact-input'
      ? (received - uncertaintyOf(received)) * 10_000n >=
        plan.buy.amount * BigInt(10_000 - slippageBps)
      : (spent + uncertaintyOf(spent)) * 10_000n <= plan.sell.amount * BigInt(10_000 + slippageBps);
  return isAllowed && (await isAffordable(slippageBps));
}
