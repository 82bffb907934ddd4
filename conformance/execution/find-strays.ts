import { NATIVE_TOKEN, type Payment, type TokenAmount } from '../model/settlement.ts';
import type { Address } from '../model/trade-request.ts';
import { netOf, type Transfer } from '../rule-kit/transfers.ts';
import { actorOf, type CallFrame, paymentsIn, transfersIn } from './call-trace.ts';

/** Who may be paid by a trade, in lower case. */
export type Parties = {
  readonly user: Address;
  /** Those whose balances are measured: the user, the receiver, the router and its token proxy. */
  readonly known: ReadonlySet<Address>;
  /** Pools that the plan names by an address, each with what it takes. */
  readonly pools: ReadonlyMap<Address, ReadonlySet<Address>>;
  /** Tokens of the plan, and wrapped native. */
  readonly tokens: ReadonlySet<Address>;
  /** Tokens that market makers take, where they were asked. */
  readonly takenByMakers: ReadonlySet<Address>;
};

/** What moved besides what was to move. */
export type Strays = {
  readonly strays: readonly Payment[];
  readonly taken: readonly TokenAmount[];
};

/**
 * Returns what a transaction paid to strangers, and which tokens it took from
 * the user, whatever the market did meanwhile.
 *
 * A stranger gains something and gives nothing for it, and was paid by the
 * trade: on the order of the router, or by a pool that paid nobody else in that
 * swap, though it be within one call of a vault that calls the router back. Not so
 * a vault or a market maker, who gives of the plan's tokens; a treasury that a
 * token sends a fee to; or one that a pool pays its own fee to, beside the trade. A
 * pool that the router pays in a token that it does not take is paid for nothing.
 */
export function findStrays(root: CallFrame, parties: Parties): Strays {
  const { user, known, tokens, takenByMakers } = parties;
  const transfers = transfersIn(root);
  const gained = netOf(transfers);
  const isTraded = (token: Address) => token === NATIVE_TOKEN || tokens.has(token);
  const largest = largestOf(transfers);
  const isGiven = ([token, net]: readonly [Address, bigint]) =>
    isTraded(token) && -net * DUST_PARTS >= (largest.get(token) ?? 0n) && isLoss(net);
  const gives = new Set(
    [...gained].filter(([, net]) => [...net].some(isGiven)).map(([account]) => account),
  );
  const isPool = (account: Address) =>
    parties.pools.has(account) || (gives.has(account) && !known.has(account));
  const isStranger = (account: Address) =>
    !known.has(account) &&
    !tokens.has(account) &&
    !isPool(account) &&
    [...(gained.get(account)?.values() ?? [])].some((amount) => amount > 0n);

  /** The account on whose behalf a payment was made; what is unknown between acts for its caller. */
  const payerOf = (callers: readonly CallFrame[]): Address =>
    callers
      .map(actorOf)
      .findLast((account) => known.has(account) || tokens.has(account) || isPool(account)) ?? user;
  const paysTheTrade = (pool: Address, callers: readonly CallFrame[]): boolean =>
    paymentsBy(pool, callers, known).some(
      ({ from, to }) => !known.has(from) && !tokens.has(to) && !isStranger(to),
    );

  const strays = new Map<string, Payment>();
  for (const { token, to, callers, amount: ordered } of paymentsIn(root)) {
    const takes = parties.pools.get(to);
    if (
      takes !== undefined &&
      tokens.has(token) &&
      !takes.has(token) &&
      known.has(payerOf(callers))
    ) {
      strays.set(`${to} ${token}`, { token, to, amount: ordered });
      continue;
    }
    const amount = gained.get(to)?.get(token) ?? 0n;
    if (amount <= 0n || !isStranger(to) || takenByMakers.has(token)) continue;
    const payer = payerOf(callers);
    // What no pool gave was not bought with what the user sells.
    const isStolen = isPool(payer) ? !paysTheTrade(payer, callers) : isTraded(token);
    if (tokens.has(payer) || !isStolen) continue;
    strays.set(`${to} ${token}`, { token, to, amount });
  }
  const taken = [...(gained.get(user) ?? [])].flatMap(([token, amount]) =>
    isLoss(amount) ? [{ token, amount: -amount }] : [],
  );
  return { strays: [...strays.values()], taken };
}

/**
 * Returns what was paid in the call of a pool that a payment is a part of, but to the pool itself
 * and to where it keeps what it takes, from which it fetches what it gives.
 */
function paymentsBy(
  pool: Address,
  callers: readonly CallFrame[],
  known: ReadonlySet<Address>,
): readonly Transfer[] {
  const entered = entryOf(pool, callers, known);
  const paid = entered === undefined ? [] : transfersIn(entered);
  const stores = new Set(paid.flatMap(({ from, to }) => (to === pool ? [from] : [])));
  for (const frame of callers) stores.delete(actorOf(frame));
  return paid.filter(({ to }) => to !== pool && !stores.has(to));
}

/** The first call of a pool, unless the router, called back within it, told the pool to pay. */
function entryOf(
  pool: Address,
  callers: readonly CallFrame[],
  known: ReadonlySet<Address>,
): CallFrame | undefined {
  const told = callers.slice(callers.findLastIndex((frame) => known.has(actorOf(frame))) + 1);
  const isTold = told.length > 0 && told.every((frame) => actorOf(frame) === pool);
  return isTold ? told[0] : callers.find((frame) => actorOf(frame) === pool);
}

/** Who gives a smaller part of the largest payment in a token gives nothing for what it gains. */
const DUST_PARTS = 10_000n;

function largestOf(transfers: readonly Transfer[]): ReadonlyMap<Address, bigint> {
  const largest = new Map<Address, bigint>();
  for (const { token, amount } of transfers) {
    if (amount > (largest.get(token) ?? 0n)) largest.set(token, amount);
  }
  return largest;
}

function isLoss(amount: bigint): boolean {
  return amount < 0n;
}
