import type { Holders, SwapPlan, Transaction, UserCall } from '../model/settlement.ts';
import { type Address, mostSold, type TradeRequest } from '../model/trade-request.ts';
import type { ForkSession } from './fork-session.ts';
import { readAddress } from './read-swap-plan.ts';

/** A plan with the transaction that is to settle it. */
export type PlannedTrade = {
  readonly request: TradeRequest;
  readonly plan: SwapPlan;
  readonly transaction: Transaction;
};

/** Returns the call by which the user sends a plan's transaction, with the native that it sells. */
export function callOf({ request, plan, transaction }: PlannedTrade): UserCall {
  const value = request.sell.native ? mostSold(request, plan) : 0n;
  return { to: transaction.router, value, data: transaction.calldata };
}

/** Returns the accounts that take part in a trade. */
export function holdersOf(session: ForkSession, { request, transaction }: PlannedTrade): Holders {
  const { user, recipient = user } = request;
  const approval = session.approval(request.router);
  const hasProxy =
    approval !== undefined && !approval.viaPermit2 && approval.spender !== transaction.router;
  return {
    user,
    receiver: recipient,
    router: transaction.router,
    proxy: hasProxy ? approval.spender : undefined,
  };
}

/** Returns the largest amount of each token that any one of the trades may sell. */
export function needsOf(trades: readonly PlannedTrade[]): ReadonlyMap<Address, bigint> {
  const needs = new Map<Address, bigint>();
  for (const { request, plan } of trades) {
    const { token } = plan.sell;
    const most = mostSold(request, plan);
    if (!request.sell.native && most > (needs.get(token) ?? 0n)) needs.set(token, most);
  }
  return needs;
}

/** Returns the pools of some plans, by each token that they trade. */
export function poolsByToken(
  trades: readonly Pick<PlannedTrade, 'plan'>[],
): ReadonlyMap<Address, readonly Address[]> {
  const pools = new Map<Address, Set<Address>>();
  for (const { pool, from, to } of trades.flatMap(({ plan }) => plan.steps)) {
    const address = readAddress(pool);
    if (address === undefined) continue;
    for (const { token } of [...from, ...to]) {
      pools.set(token, (pools.get(token) ?? new Set()).add(address));
    }
  }
  return new Map([...pools].map(([token, all]) => [token, [...all]]));
}
