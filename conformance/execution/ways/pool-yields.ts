import type { Overrides } from '../../model/scenario.ts';
import type { Effects, SettledPlan, SwapPlan } from '../../model/settlement.ts';
import type { Address, TradeRequest } from '../../model/trade-request.ts';
import type { ForkSession } from '../fork/fork-session.ts';
import { poolTradeIn } from '../fork/pool-scenario.ts';
import { undefinedIfNodeFailed } from '../node/node-losses.ts';
import {
  PARTS,
  type PoolTrade,
  TRADER,
  TRADER_OVERRIDE,
  yieldsAfter,
} from '../settle/pool-trader.ts';
import { joined, type Provision } from '../settle/provision.ts';

type Planned = { readonly request: TradeRequest; readonly plan: SwapPlan };

/** Returns a plan in the other direction: its swaps improve the price of the plan. */
export function reversed(plan: SwapPlan): SwapPlan {
  const steps = plan.steps.map((step) => ({ ...step, from: step.to, to: step.from }));
  return { ...plan, sell: plan.buy, buy: plan.sell, steps };
}

/** Overrides with which the trader can sell up to the largest of some moves. */
export type Trader = { readonly overrides: Overrides; readonly moves: readonly bigint[] };

/** Divisors of the largest move, for tokens that limit balances. */
const LESS = [1n, 1n << 7n, 1n << 14n];

/**
 * Returns what the trader needs for moves in parts of a trade, and for twice a plan besides: the
 * trade itself if unset. If it cannot be given enough for all moves, only the smaller ones remain.
 * A text is the reason why it can make none.
 */
export async function traderFor(
  { funding }: Pick<ForkSession, 'funding'>,
  moving: PoolTrade,
  moves: readonly bigint[],
  plan: PoolTrade = moving,
): Promise<Trader | string> {
  let why = '';
  for (const divisor of LESS) {
    const most = maxOf(moves) / divisor;
    const given: Provision[] = [{ overrides: TRADER_OVERRIDE, before: [] }];
    for (const [token, amount] of needsOf(moving, plan, most)) {
      const provision = await funding.give(token, TRADER, amount);
      if (typeof provision === 'string') why = provision;
      // A call can do nothing before its trade.
      else if (provision.before.length > 0) why = `no storage slot is a balance of ${token}`;
      else given.push(provision);
    }
    if (why === '') {
      const { overrides } = joined(...given);
      return { overrides, moves: moves.filter((move) => move <= most) };
    }
    if (divisor !== LESS.at(-1)) why = '';
  }
  return `our trader cannot be given what it sells: ${why}`;
}

function needsOf(moving: PoolTrade, plan: PoolTrade, most: bigint) {
  const needs = new Map<Address, bigint>();
  const add = ({ needs: need }: PoolTrade, parts: bigint) => {
    if (need === undefined) return;
    const amount = (need.amount * parts) / PARTS + 1n;
    needs.set(need.token, (needs.get(need.token) ?? 0n) + amount);
  };
  add(moving, most);
  add(plan, 3n * PARTS);
  return needs;
}

/**
 * Returns the yields of a plan's pools for some amounts of the sold token, each on the present fork;
 * undefined if its pools cannot be traded with directly.
 */
export async function yieldsOfPools(
  session: ForkSession,
  trade: Planned,
  amounts: readonly bigint[],
): Promise<readonly (bigint | undefined)[]> {
  const unknown = amounts.map(() => undefined);
  const { amount } = trade.plan.sell;
  const pools = poolTradeIn(session, trade);
  if (typeof pools === 'string' || amount === 0n) return unknown;
  const sales = amounts.map((sold) => (sold * PARTS) / amount);
  const yields = await undefinedIfNodeFailed(async () => {
    const trader = await traderFor(session, pools, sales);
    if (typeof trader === 'string') return undefined;
    const attempts = sales.map((sold) => ({ moved: 0n, sold }));
    const { overrides } = trader;
    return yieldsAfter(session.rpc(), { moving: pools, plan: pools }, attempts, { overrides });
  });
  return yields ?? unknown;
}

function maxOf(amounts: readonly bigint[]): bigint {
  let most = 0n;
  for (const amount of amounts) if (amount > most) most = amount;
  return most;
}

/** Returns for an exact output that cost more than quoted: the yields of its pools for both costs. */
export async function yieldsOfOverspent(
  session: ForkSession,
  trade: Planned,
  effects: Effects,
): Promise<SettledPlan['poolsGive']> {
  const { request, plan } = trade;
  const isMore = effects.kind === 'settled' && effects.spent > plan.sell.amount;
  if (!isMore || request.swapKind !== 'exact-output') return undefined;
  const spends = [plan.sell.amount, effects.spent];
  const [forQuoted, forSpent] = await yieldsOfPools(session, trade, spends);
  const isKnown = forQuoted !== undefined && forSpent !== undefined;
  return isKnown ? { forQuoted, forSpent } : undefined;
}
