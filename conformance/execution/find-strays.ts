import { NATIVE_TOKEN, type Payment, type TokenAmount } from '../model/settlement.ts';
import type { Address } from '../model/trade-request.ts';
import { netOf, type Transfer } from '../rule-kit/transfers.ts';
import { actorOf, type CallFrame, paymentsIn, transfersIn } from './call-trace.ts';

/** Accounts that a trade may pay, in lower case. */
export type Parties = {
  readonly user: Address;
  /** Accounts whose balances are measured: the user, the receiver, the router and its token proxy. */
  readonly known: ReadonlySet<Address>;
  /** Pools that the plan names by an address, each with its input tokens. */
  readonly pools: ReadonlyMap<Address, ReadonlySet<Address>>;
  /** Tokens of the plan, and wrapped native. */
  readonly tokens: ReadonlySet<Address>;
  /** Tokens that market makers take, if their liquidity was requested. */
  readonly takenByMakers: ReadonlySet<Address>;
};

/** Transfers that the plan does not include. */
export type Strays = {
  readonly strays: readonly Payment[];
  readonly taken: readonly TokenAmount[];
};

/**
 * Returns the payments of a transaction to strangers, and the tokens that it took from the user,
 * independently of the market.
 *
 * A stranger gains something without giving anything, and was paid by the trade: by order of the
 * router, or by a pool that paid nobody else in that swap, even within a call of a vault that calls
 * the router back. Not strangers are vaults and market makers, which give tokens of the plan, and
 * treasuries that receive the fee of a token or of a pool. A pool that the router pays in a token that
 * it does not take is a stranger, too.
 */
export function findStrays(root: CallFrame, parties: Parties): Strays {
  const { user, known, tokens, takenByMakers } = parties;
  const transfers = transfersIn(root);
  const gained = netOf(transfers);
  const isTraded = (token: Address) => token === NATIVE_TOKEN || tokens.has(token);
  const largest = largestOf(transfers);
  const isGiven = ([token, net]: readonly [Address, bigint]) =>
    isTraded(token) && -net * DUST_DIVISOR >= (largest.get(token) ?? 0n) && isLoss(net);
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

  /** Returns the account on whose behalf a payment was made; unknown accounts act for their caller. */
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
    // A token that no pool gave was not bought with the user's token.
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
 * Returns the payments in the call of a pool that includes a payment, except those to the pool and to
 * its vault.
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

/** Returns the first call of a pool, unless the router ordered the payment in a callback. */
function entryOf(
  pool: Address,
  callers: readonly CallFrame[],
  known: ReadonlySet<Address>,
): CallFrame | undefined {
  const told = callers.slice(callers.findLastIndex((frame) => known.has(actorOf(frame))) + 1);
  const isTold = told.length > 0 && told.every((frame) => actorOf(frame) === pool);
  return isTold ? told[0] : callers.find((frame) => actorOf(frame) === pool);
}

/** Fraction of the largest payment in a token, as a divisor, up to which an amount counts as dust. */
const DUST_DIVISOR = 10_000n;

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
