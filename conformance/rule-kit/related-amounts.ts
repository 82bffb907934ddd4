import type { Exchange } from '../client/exchange.ts';
import type { Query } from '../client/request.ts';
import { RELATION_TRADES, within } from '../generate/budget.ts';
import {
  exactInput,
  exactOutput,
  spread,
  swapTarget,
  type Trade,
  tradesOf,
} from '../generate/trades.ts';
import { randomFor } from '../model/random.ts';
import type { Check } from '../model/rule.ts';
import type { Session } from '../model/session.ts';
import { type Statement, words } from '../model/statement.ts';
import {
  hasNewAmounts,
  inAnyOrder,
  judgeSides,
  type ReplyComparison,
  withNewAmount,
} from './one-sided.ts';
import { amountsOf } from './plan-key.ts';
import { type Run, shareWord } from './probes.ts';
import { NO_PLAN } from './sample-queries.ts';

/** Amounts that a plan and its routes sell and buy, in base units. */
export type Amounts = NonNullable<ReturnType<typeof amountsOf>>;

const LARGER_BY = [2n, 10n, 1_000n];

type DerivedTrade = (trade: Trade, first: Amounts) => Query;

const DERIVED_TRADES = {
  larger: LARGER_BY.map(
    (step): DerivedTrade =>
      (trade, first) =>
        exactInput(trade, first.sold * step),
  ),
  'exact output': [(trade, first) => exactOutput(trade, first.bought)],
} as const satisfies Readonly<Record<string, readonly DerivedTrade[]>>;

/** A bound on the reply to one trade. It follows from the reply to another trade. */
export type AmountRelation = {
  readonly next: keyof typeof DERIVED_TRADES;
  /** True to skip trades whose amounts show rounding. Default false. */
  readonly skipsRounded?: true;
  readonly bound: 'at most' | 'at least';
  /** The bounded amount in the second reply. */
  readonly amount: 'sold' | 'bought';
  readonly limit: (first: Amounts, second: Amounts) => bigint;
  /** Returns the reason for the bound. A finding shows the reason after the limit. */
  readonly why: (first: Amounts, second: Amounts) => Statement;
};

/** `by` is the distance from the bound as a share of the bound; negative if the bound holds. */
type BoundComparison = ReplyComparison & { readonly by: number };

/**
 * Returns a probe that requests trades, derives further trades from the replies, and checks the
 * bound.
 */
export function relatesAmounts(relation: AmountRelation): Run {
  return onTrades(relation, (attempts, session, t) => judgeSides(session, attempts, t, 1));
}

/**
 * Returns a probe that sends the same requests as `relatesAmounts`, and records how often and by
 * how much replies miss the bound.
 */
export function observesAmounts(relation: AmountRelation): Run {
  return onTrades(relation, async (attempts, _, t) => {
    const shown = (await Promise.all(attempts.map((attempt) => attempt()))).filter(
      (each) => each !== undefined,
    );
    if (shown.length === 0) return;
    for (const _each of shown) t.check();
    const missed = shown.filter(({ by }) => by > 0).map(({ by }) => by);
    if (missed.length === 0) return t.observe('in no trade');
    const most = Number((100 * Math.max(...missed)).toPrecision(2));
    t.observe(
      `in ${missed.length} of ${shown.length} trades, by at most ${most}%`,
      `in ${shareWord(missed.length, shown.length)} trades, by at most ${most}%`,
    );
  });
}

function onTrades(
  relation: AmountRelation,
  check: (
    attempts: readonly (() => Promise<BoundComparison | undefined>)[],
    session: Session,
    t: Check,
  ) => Promise<void>,
): Run {
  return async (session, t) => {
    const { share = (_, work) => work() } = session;
    const trades = spread(tradesOf(session.facts), within(RELATION_TRADES, session)).filter(
      (trade) => hasNewAmounts(exactInput(trade)),
    );
    if (trades.length === 0) return t.stuck(NO_PLAN);
    const nextTrades = Object.values(DERIVED_TRADES).flat();
    // All relations on amounts share the replies to the first requests.
    const firsts = await share('relations of amounts', () =>
      Promise.all(
        trades.map((trade, index) =>
          requestDerivedTrades(session, trade, nextTrades, randomFor(session.seed, index)),
        ),
      ),
    );
    const attempts = trades.flatMap((trade, index) =>
      DERIVED_TRADES[relation.next].map((next, step) => {
        const random = randomFor(session.seed, index, step);
        let first = firsts[index];
        return async () => {
          const replies = first ?? (await requestDerivedTrades(session, trade, [next], random));
          first = undefined;
          return compareAmounts(replies, next, relation);
        };
      }),
    );
    await check(attempts, session, t);
    t.stuck('no request returned a plan again');
  };
}

type DerivedReplies = {
  readonly first: Amounts | undefined;
  readonly seconds: ReadonlyMap<DerivedTrade, Exchange>;
};

const NO_REPLIES: DerivedReplies = { first: undefined, seconds: new Map() };

/**
 * Repeats the first trade among the derived trades, in random order, so that all replies have the
 * same age.
 */
async function requestDerivedTrades(
  session: Session,
  trade: Trade,
  nextTrades: readonly DerivedTrade[],
  random: () => number,
): Promise<DerivedReplies> {
  const before = amountsOf(await session.get(swapTarget(withNewAmount(exactInput(trade), random))));
  if (before === undefined || before.sold === 0n || before.bought === 0n) return NO_REPLIES;
  // Requests a slightly larger amount, since the reply to the same request may be cached.
  const again = exactInput(trade, before.sold + before.sold / 10_000n + 1n);
  const queries = [again, ...nextTrades.map((next) => next(trade, before))];
  const [first, ...seconds] = await inAnyOrder(session, random, queries.map(swapTarget));
  return {
    first: first && amountsOf(first),
    seconds: new Map(
      seconds.map((exchange, index) => [nextTrades[index] as DerivedTrade, exchange] as const),
    ),
  };
}

function compareAmounts(
  { first, seconds }: DerivedReplies,
  next: DerivedTrade,
  { skipsRounded, bound, amount, limit, why }: AmountRelation,
): BoundComparison | undefined {
  const exchange = seconds.get(next);
  const second = exchange && amountsOf(exchange);
  if (first === undefined || exchange === undefined || second === undefined) return undefined;
  // A sale of nothing has no price.
  if (first.sold === 0n || (skipsRounded && isRounded(first))) return undefined;
  const [is, most] = [second[amount], limit(first, second)];
  const over = bound === 'at most' ? is - most : most - is;
  return {
    sides: [over > 0n ? 1 : -1],
    by: Number(over) / Math.max(1, Number(most)),
    finding: {
      fault: bound === 'at most' ? 'too-much' : 'too-little',
      expected: words`${bound} ${most} ${why(first, second)}`,
      actual: words`${is}`,
      pointer: amount === 'sold' ? '/sell/amount' : '/buy/amount',
      exchange,
    },
  };
}

/** Minimum amount of a leg, which rounding then changes by at most one part in 100,000. */
const MIN_UNROUNDED_LEG = 100_000n;

function isRounded({ legs }: Amounts): boolean {
  return legs.some((leg) => leg < MIN_UNROUNDED_LEG);
}
