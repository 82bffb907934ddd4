import type { Payment, Scenario, Settlement, TracedFrame } from '../../model/scenario.ts';
import {
  accountsOf,
  type Holders,
  NATIVE_TOKEN,
  type Stray,
  type SwapPlan,
  type TokenAmount,
  type Trade,
  tokenSold,
} from '../../model/settlement.ts';
import type { Address } from '../../model/trade-request.ts';
import { netOf, type Transfer } from '../../rule-kit/transfers.ts';
import { actorOf, isTransferCall, type OrderedPayment, paymentsIn } from './call-trace.ts';
import { paymentsInCalls } from './payments.ts';
import { readAddress } from './read-swap-plan.ts';
import type { Settle, StateSource } from './simulate.ts';
import { callsOf, isTooLargeToTrace } from './trace-call.ts';

/** Accounts that a trade may pay, in lower case. */
export type Parties = {
  readonly user: Address;
  /**
   * Accounts whose balances are measured: the user, the receiver, the router and its token proxy.
   */
  readonly known: ReadonlySet<Address>;
  /** Pools that the plan identifies by an address, each with its input tokens. */
  readonly pools: ReadonlyMap<Address, ReadonlySet<Address>>;
  /** Tokens of the plan, and the wrapped native token. */
  readonly tokens: ReadonlySet<Address>;
  /** Tokens that market makers accept; empty unless the request allows their liquidity. */
  readonly takenByMakers: ReadonlySet<Address>;
};

/** Transfers that the plan does not include. */
export type Strays = {
  readonly strays: readonly Stray[];
  readonly taken: readonly TokenAmount[];
  /** Reason why suspicious payments could not be examined. */
  readonly untraced: string | undefined;
  /** True if the trade itself is that reason, and not the node. */
  readonly isUntraceable: boolean;
};

const NO_STRAYS: Strays = { strays: [], taken: [], untraced: undefined, isUntraceable: false };

/** Returns the accounts that a trade may pay. */
export function partiesOf(
  { request, plan }: Trade,
  holders: Holders,
  wrappedNative: Address | undefined,
): Parties {
  return {
    user: holders.user,
    known: new Set(accountsOf(holders)),
    pools: tokensTakenByPools(plan),
    tokens: new Set([...plan.tokens, wrappedNative ?? []].flat()),
    takenByMakers: new Set(
      request.useRfq ? plan.steps.flatMap(({ from }) => from.map(({ token }) => token)) : [],
    ),
  };
}

function tokensTakenByPools({ steps }: SwapPlan): Parties['pools'] {
  const pools = new Map<Address, Set<Address>>();
  for (const { pool, from } of steps) {
    const address = readAddress(pool);
    if (address === undefined) continue;
    const taken = pools.get(address) ?? new Set();
    for (const { token } of from) taken.add(token);
    pools.set(address, taken);
  }
  return pools;
}

/**
 * Returns the payments of a settlement to strangers, and the tokens that it took from the user.
 * Traces the calls only if the payments look suspicious. Balances must confirm the events.
 */
export async function straysIn(
  fork: StateSource,
  trade: Trade,
  parties: Parties,
  {
    scenario,
    settlement,
    settle,
  }: {
    readonly scenario: Scenario;
    readonly settlement: Settlement;
    readonly settle: Settle;
  },
): Promise<Strays> {
  if (settlement.outcome !== 'settled') return NO_STRAYS;
  const sold = tokenSold(trade);
  if (!mayHaveStrays(settlement.payments, parties, sold)) return NO_STRAYS;
  const calls = await callsOf(fork, { scenario, settlement });
  if (typeof calls === 'string')
    return { ...NO_STRAYS, untraced: calls, isUntraceable: isTooLargeToTrace(settlement) };
  const { strays, taken } = findStrays(calls, parties);
  const others = taken.filter(({ token }) => token !== sold);
  if (strays.length + others.length === 0) return NO_STRAYS;
  const measured = {
    tokens: [...new Set([...strays, ...others].map(({ token }) => token))],
    holders: [...new Set([...strays.map(({ to }) => to), parties.user])],
  };
  const { changes } = await settle(fork, { ...scenario, measured });
  const changeOf = (token: Address, holder: Address, reported: bigint) => {
    const change = changes.find((each) => each.token === token && each.holder === holder);
    return change === undefined ? 0n : (change.amount ?? reported);
  };
  return {
    ...NO_STRAYS,
    // A pool's balance may hide such a payment, since the pool also pays out tokens.
    strays: strays
      .map(
        (each): Stray =>
          parties.pools.has(each.to)
            ? each
            : { ...each, amount: changeOf(each.token, each.to, each.amount) },
      )
      .filter(({ amount }) => amount > 0n),
    taken: others
      .map(
        (each): TokenAmount => ({
          ...each,
          amount: -changeOf(each.token, parties.user, -each.amount),
        }),
      )
      .filter(({ amount }) => amount > 0n),
  };
}

type AccountRoles = {
  /**
   * Returns true for a pool of the plan, and for any account that gives a traded token, as vaults
   * and market makers do.
   */
  readonly isPool: (account: Address) => boolean;
  /** Returns true for an account that gains something and takes no part in the trade. */
  readonly isStranger: (account: Address) => boolean;
  /** Returns the net gain of an account, in base units; negative for a loss. */
  readonly gainOf: (account: Address, token: Address) => bigint;
};

/**
 * Returns the payments of a transaction to strangers, and the tokens that it took from the user,
 * independently of the market. A stranger gains something without giving anything, and the trade
 * pays for that gain: the router orders the payment, or a pool pays nobody else in a swap. This
 * also holds if a vault calls the router back. Vaults and market makers are not strangers, since
 * they give tokens of the plan. Treasuries that receive a token's or a pool's fee are not strangers
 * either. A pool counts as a stranger if the router pays it in a token that the pool does not take.
 */
export function findStrays(root: TracedFrame, parties: Parties): Pick<Strays, 'strays' | 'taken'> {
  const transfers = paymentsInCalls(root);
  const roles = rolesIn(transfers, parties);
  const strays = new Map<string, Stray>();
  for (const payment of paymentsIn(root)) {
    const { token, to } = payment;
    const amount = isMisdirected(payment, parties, roles)
      ? payment.amount
      : isPaidToStranger(payment, parties, roles)
        ? roles.gainOf(to, token)
        : undefined;
    if (amount !== undefined) strays.set(`${to} ${token}`, { token, to, amount });
  }
  const taken = [...(netOf(transfers).get(parties.user) ?? [])].flatMap(([token, amount]) =>
    amount < 0n ? [{ token, amount: -amount }] : [],
  );
  return { strays: [...strays.values()], taken };
}

/**
 * Returns whether payments may be strays, so that the calls that order them must be examined: a
 * stranger gains something, a pool is paid a token that it does not take, or the user loses a token
 * other than the sold one.
 */
function mayHaveStrays(payments: readonly Payment[], parties: Parties, sold: Address): boolean {
  const { user, pools, tokens } = parties;
  const { isStranger } = rolesIn(payments, parties);
  const net = netOf(payments);
  const taken = [...(net.get(user) ?? [])].some(([token, amount]) => amount < 0n && token !== sold);
  const isMisdirected = ({ token, to }: Payment) =>
    tokens.has(token) && pools.get(to)?.has(token) === false;
  return taken || [...net.keys()].some(isStranger) || payments.some(isMisdirected);
}

function rolesIn(transfers: readonly Transfer[], parties: Parties): AccountRoles {
  const { known, pools, tokens } = parties;
  const gained = netOf(transfers);
  const largest = largestOf(transfers);
  const isGiven = ([token, net]: readonly [Address, bigint]) =>
    isTraded(token, parties) && net < 0n && -net * DUST_DIVISOR >= (largest.get(token) ?? 0n);
  const givers = new Set(
    [...gained].filter(([, net]) => [...net].some(isGiven)).map(([account]) => account),
  );
  const isPool = (account: Address) =>
    pools.has(account) || (givers.has(account) && !known.has(account));
  return {
    isPool,
    isStranger: (account) =>
      !known.has(account) &&
      !tokens.has(account) &&
      !isPool(account) &&
      [...(gained.get(account)?.values() ?? [])].some((amount) => amount > 0n),
    gainOf: (account, token) => gained.get(account)?.get(token) ?? 0n,
  };
}

function isTraded(token: Address, { tokens }: Parties): boolean {
  return token === NATIVE_TOKEN || tokens.has(token);
}

/**
 * Returns whether the router pays a pool of the plan in a token of the plan that the pool does not
 * take.
 */
function isMisdirected(
  { token, to, callers }: OrderedPayment,
  parties: Parties,
  roles: AccountRoles,
): boolean {
  const taken = parties.pools.get(to);
  return (
    taken !== undefined &&
    parties.tokens.has(token) &&
    !taken.has(token) &&
    parties.known.has(payerOf(callers, parties, roles))
  );
}

function isPaidToStranger(
  { token, to, callers }: OrderedPayment,
  parties: Parties,
  roles: AccountRoles,
): boolean {
  if (roles.gainOf(to, token) <= 0n || !roles.isStranger(to)) return false;
  if (parties.takenByMakers.has(token)) return false;
  const payer = payerOf(callers, parties, roles);
  if (parties.tokens.has(payer) || isOrderedByToken(callers, parties)) return false;
  // If no pool gave the token, the user's token did not buy it.
  return roles.isPool(payer)
    ? !paysTheTrade(payer, callers, parties, roles)
    : isTraded(token, parties);
}

/**
 * Returns whether a token orders a payment during its own transfer, as when it sells its fee
 * through a pool for its treasury. What the router does when the token calls it is the router's.
 */
function isOrderedByToken(
  callers: readonly TracedFrame[],
  { known, pools, tokens }: Parties,
): boolean {
  const afterRouter = callers.slice(
    callers.findLastIndex((frame) => known.has(actorOf(frame))) + 1,
  );
  return afterRouter.some((frame) => {
    const account = actorOf(frame);
    return isTransferCall(frame) && tokens.has(account) && !pools.has(account);
  });
}

/** Returns the last caller with a role in the trade. Unknown accounts act for their caller. */
function payerOf(
  callers: readonly TracedFrame[],
  { user, known, tokens }: Parties,
  { isPool }: AccountRoles,
): Address {
  return (
    callers
      .map(actorOf)
      .findLast((account) => known.has(account) || tokens.has(account) || isPool(account)) ?? user
  );
}

function paysTheTrade(
  pool: Address,
  callers: readonly TracedFrame[],
  { known, tokens }: Parties,
  { isStranger }: AccountRoles,
): boolean {
  return paymentsBy(pool, callers, known).some(
    ({ from, to }) => !known.has(from) && !tokens.has(to) && !isStranger(to),
  );
}

function paymentsBy(
  pool: Address,
  callers: readonly TracedFrame[],
  known: ReadonlySet<Address>,
): readonly Transfer[] {
  const entered = entryOf(pool, callers, known);
  const paid = entered === undefined ? [] : paymentsInCalls(entered);
  const stores = new Set(paid.flatMap(({ from, to }) => (to === pool ? [from] : [])));
  for (const frame of callers) stores.delete(actorOf(frame));
  return paid.filter(({ to }) => to !== pool && !stores.has(to));
}

function entryOf(
  pool: Address,
  callers: readonly TracedFrame[],
  known: ReadonlySet<Address>,
): TracedFrame | undefined {
  const afterRouter = callers.slice(
    callers.findLastIndex((frame) => known.has(actorOf(frame))) + 1,
  );
  const isOwnPayment =
    afterRouter.length > 0 && afterRouter.every((frame) => actorOf(frame) === pool);
  return isOwnPayment ? afterRouter[0] : callers.find((frame) => actorOf(frame) === pool);
}

/**
 * An amount is dust if it is at most the largest payment in the same token, divided by this number.
 */
const DUST_DIVISOR = 10_000n;

function largestOf(transfers: readonly Transfer[]): ReadonlyMap<Address, bigint> {
  const largest = new Map<Address, bigint>();
  for (const { token, amount } of transfers) {
    if (amount > (largest.get(token) ?? 0n)) largest.set(token, amount);
  }
  return largest;
}
