import type { Query } from '../client/request.ts';
import { RELATION_TRADES, within } from '../generate/budget.ts';
import { exactInput, spread, swapTarget, type Trade, tradesOf } from '../generate/trades.ts';
import { createRandom } from '../model/random.ts';
import type { Session } from '../model/session.ts';
import { type Statement, words } from '../model/statement.ts';
import {
  hasNewAmounts,
  inEitherOrder,
  judgeSides,
  type Shown,
  withNewAmount,
} from './one-sided.ts';
import { amountsOf } from './plan-key.ts';
import { type Assertions, asserting, type Run, shareWord } from './probes.ts';
import { NO_PLAN } from './sample-queries.ts';

/** What a plan sells and buys, and the amounts at both ends of its routes, in base units. */
export type Amounts = NonNullable<ReturnType<typeof amountsOf>>;

/** A bound that the reply to a trade sets to the reply to another. */
export type AmountRelation = {
  /** The trades that are made of the reply to one; undefined where the reply does not fit. */
  readonly next: readonly ((trade: Trade, first: Amounts) => Query | undefined)[];
  readonly bound: 'at most' | 'at least';
  /** The amount of the second reply that is bounded. */
  readonly amount: 'sold' | 'bought';
  readonly limit: (first: Amounts, second: Amounts) => bigint;
  /** Says why, after the limit. */
  readonly why: (first: Amounts, second: Amounts) => Statement;
};

/** What two replies show, and by how much the bound is missed, in parts of it; below 0 it is kept. */
type Missed = Shown & { readonly by: number };

/** Returns a probe that asks for trades, then for others made of the replies, and holds the amounts to a bound. */
export function relatesAmounts(relation: AmountRelation): Run {
  return onTrades(relation, (attempts, session, assertions) =>
    judgeSides(session, attempts, assertions, 1),
  );
}

/** Returns a probe that asks for the same, and records how often and how far the amounts are off the bound. */
export function observesAmounts(relation: AmountRelation): Run {
  return async (session) => {
    const missed: number[] = [];
    const asked = onTrades(relation, async (attempts, _, assertions) => {
      for (const shown of await Promise.all(attempts.map((attempt) => attempt()))) {
        if (shown !== undefined) assertions.check(undefined);
        if (shown !== undefined && shown.by > 0) missed.push(shown.by);
      }
    });
    const verdict = await asked(session);
    if (verdict.kind !== 'judged') return verdict;
    const most = Number((100 * Math.max(0, ...missed)).toPrecision(2));
    const observation =
      missed.length === 0
        ? { text: 'always' }
        : {
            text: `not in ${missed.length} of ${verdict.checks} trades, by ${most} % at most`,
            key: `not in ${shareWord(missed.length, verdict.checks)} trades, by ${most} % at most`,
          };
    return { ...verdict, observed: [observation] };
  };
}

function onTrades(
  relation: AmountRelation,
  judge: (
    attempts: readonly (() => Promise<Missed | undefined>)[],
    session: Session,
    assertions: Assertions,
  ) => Promise<void>,
): Run {
  return asserting(async (session, assertions) => {
    const trades = spread(tradesOf(session.facts), within(RELATION_TRADES, session)).filter(
      (trade) => hasNewAmounts(exactInput(trade)),
    );
    if (trades.length === 0) return NO_PLAN;
    const attempts = trades.flatMap((trade, index) =>
      relation.next.map((nextOf, step) => {
        const random = createRandom(session.seed + index * 7_919 + step);
        return () => compareAmounts(session, trade, nextOf, relation, random);
      }),
    );
    await judge(attempts, session, assertions);
    return 'no request was answered with a plan again';
  });
}

/**
 * Asks for a trade, to make the second of its reply; then for the second, and for
 * one like the first, in either order.
 */
async function compareAmounts(
  { get }: Session,
  trade: Trade,
  nextOf: AmountRelation['next'][number],
  { bound, amount, limit, why }: AmountRelation,
  random: () => number,
): Promise<Missed | undefined> {
  const like = withNewAmount(exactInput(trade), random);
  const before = amountsOf(await get(swapTarget(like)));
  const next = before && before.bought > 0n ? nextOf(trade, before) : undefined;
  if (before === undefined || next === undefined) return undefined;
  // A little more than before: the reply to the very same might be kept.
  const again = exactInput(trade, before.sold + before.sold / 10_000n + 1n);
  const [one, other] = await inEitherOrder(
    random,
    () => get(swapTarget(again)),
    () => get(swapTarget(next)),
  );
  const [first, second] = [amountsOf(one), amountsOf(other)];
  if (first === undefined || second === undefined) return undefined;
  const [is, most] = [second[amount], limit(first, second)];
  const over = bound === 'at most' ? is - most : most - is;
  return {
    sides: [over > 0n ? 1 : -1],
    by: Number(over) / Math.max(1, Number(most)),
    finding: {
      expected: words`${bound} ${most} ${why(first, second)}`,
      actual: words`${is}`,
      pointer: amount === 'sold' ? '/sell/amount' : '/buy/amount',
      exchange: other,
    },
  };
}

/** A leg of fewer base units is rounded by more than a part in 100,000, which a larger trade is not. */
const LEG_ABOVE_ROUNDING = 100_000n;

/** Returns whether rounding shows in an amount of a plan. */
export function isRounded({ legs }: Amounts): boolean {
  return legs.some((leg) => leg < LEG_ABOVE_ROUNDING);
}
