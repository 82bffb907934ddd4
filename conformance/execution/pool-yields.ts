import type { Effects, SettledPlan, SwapPlan } from '../model/settlement.ts';
import type { Address, TradeRequest } from '../model/trade-request.ts';
import type { ForkSession } from './fork-session.ts';
import { undefinedIfNodeFailed } from './node-losses.ts';
import { PARTS, type PoolTrade, poolTradeOf, TRADER, yieldsAfter } from './pool-trader.ts';

type Planned = { readonly request: TradeRequest; readonly plan: SwapPlan };

/** Returns the swaps with which the trader settles a plan, or the reason why it cannot. */
export function poolTradeIn(
  { wrappedNative, nativeToken }: ForkSession,
  { request, plan }: Planned,
): PoolTrade | string {
  const sides = { sellNative: request.sell.native, buyNative: request.buy.native };
  return poolTradeOf(plan, { wrappedNative, nativeToken, ...sides });
}

/** Gives the trader the largest amount of each token that one of the trades needs; returns the tokens that it has. */
export async function fundTrader(
  session: ForkSession,
  trades: readonly PoolTrade[],
): Promise<ReadonlySet<Address>> {
  const needs = new Map<Address, bigint>();
  for (const { needs: need } of trades) {
    if (need !== undefined && need.amount > (needs.get(need.token) ?? -1n)) {
      needs.set(need.token, need.amount);
    }
  }
  const funded = new Set<Address>();
  for (const [token, amount] of needs) {
    const isFunded = await undefinedIfNodeFailed(() => session.fund(TRADER, token, amount));
    if (isFunded === true) funded.add(token);
  }
  return funded;
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
  const { amount } = trade.plan.sell;
  const pools = poolTradeIn(session, trade);
  if (typeof pools === 'string' || amount === 0n) return amounts.map(() => undefined);
  await fundTrader(session, [
    { ...pools, ...(pools.needs && { needs: { ...pools.needs, amount: maxOf(amounts) } }) },
  ]);
  const attempts = amounts.map((sold) => ({ moved: 0n, sold: (sold * PARTS) / amount }));
  const yields = await undefinedIfNodeFailed(() =>
    yieldsAfter(session.rpc(), { moving: pools, plan: pools }, attempts),
  );
  return yields ?? amounts.map(() => undefined);
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
