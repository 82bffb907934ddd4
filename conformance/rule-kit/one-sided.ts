import type { Exchange } from '../client/exchange.ts';
import { fixedAmount, parameterOf, type Query, type RequestTarget } from '../client/request.ts';
import { shuffle } from '../generate/deck.ts';
import { changeAmount } from '../generate/trades.ts';
import type { Check, Finding } from '../model/rule.ts';
import type { Session } from '../model/session.ts';

/*
 * Two replies may differ because the market moved, because one was cached, or because the service
 * handled the requests in another order. Three measures make these causes independent of how the
 * two requests differ. For each attempt, we choose at random which request is sent first. Each
 * attempt has a new amount, so no cache contains only one of the replies. Each difference has a
 * side, since one plan is better than the other. If a service treats both requests alike, each side
 * is therefore as random as our choice, whatever the market, caches and delays do, and `IN_A_ROW`
 * differences on one side occur only once in 2^(IN_A_ROW - 1) cases. A fault of the service, in
 * contrast, is always on the same side.
 */

/**
 * Number of differences in a row on one side that count as a fault. A run makes about 1,000 random
 * choices, one for each relation, trade and measure. Each choice raises a false alarm with a
 * probability of 1 in 2^24. Even if choices depend on each other, 10,000 runs raise at most 0.6
 * false alarms on average.
 */
export const IN_A_ROW = 25;
/**
 * The same number for a market that the user declares frozen, where one wrong reply may be a
 * coincidence, but two are not.
 */
const IN_A_ROW_ON_FROZEN_MARKET = 2;
/** Maximum number of attempts without a difference, after which earlier ones count as chance. */
const MAX_TIES = 12;
/** Minimum amount that can be varied, since smaller ones have too few new amounts near them. */
const MIN_AMOUNT = 10_000n;

/** Side on which one of two replies is better; 0 if the replies do not differ. */
export type Side = -1 | 0 | 1;

/**
 * The comparison of two replies: the side for each measure, and the finding to report if later
 * attempts confirm that side.
 */
export type ReplyComparison = { readonly sides: readonly Side[]; readonly finding: Finding };

/** Sends two new requests and compares their replies; undefined if they cannot be compared. */
export type Attempt = () => Promise<ReplyComparison | undefined>;

/**
 * Maximum number of pairs that are repeated at the same time. A fault usually appears in every
 * pair, so a few are enough.
 */
const MAX_CONCURRENT_REPEATS = 4;

/**
 * Sends each pair of requests once. If the replies differ, repeats the pair until the difference
 * proves to be chance or a fault. The first fault ends the search. Every judged pair counts as a
 * check. `wrongSide` is the side that breaks the rule; if unset, either side does.
 */
export async function judgeSides(
  { frozen }: Pick<Session, 'frozen'>,
  attempts: readonly Attempt[],
  t: Check,
  wrongSide?: Side,
): Promise<void> {
  const firsts = await Promise.all(
    attempts.map(async (again) => ({ again, first: await again() })),
  );
  const waiting = firsts.values();
  let isFound = false;
  const follow = async () => {
    for (const { again, first } of waiting) {
      if (isFound) return;
      if (first === undefined) continue;
      const finding = await confirmSide(
        first,
        again,
        frozen ? IN_A_ROW_ON_FROZEN_MARKET : IN_A_ROW,
        wrongSide,
      );
      t.check(finding, finding?.exchange);
      isFound ||= finding !== undefined;
    }
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT_REPEATS }, follow));
}

async function confirmSide(
  first: ReplyComparison,
  again: Attempt,
  needed: number,
  wrongSide: Side | undefined,
): Promise<Finding | undefined> {
  let rows = first.sides.flatMap((side, measure) =>
    side === 0 ? [] : [{ measure, side: wrongSide ?? side, length: 0 }],
  );
  let [shown, ties]: [ReplyComparison | undefined, number] = [first, 0];
  for (;;) {
    const sideOf = (measure: number) => shown?.sides[measure] ?? 0;
    rows = rows.filter(({ measure, side }) => sideOf(measure) !== -side);
    const longer = rows.filter(({ measure, side }) => sideOf(measure) === side);
    for (const row of longer) row.length++;
    if (longer.some(({ length }) => length >= needed)) return shown?.finding;
    if (longer.length === 0) ties++;
    if (rows.length === 0 || ties > MAX_TIES) return undefined;
    shown = await again();
  }
}

/** Returns whether a query's amount is large enough for new amounts near it. */
export function hasNewAmounts(query: Query): boolean {
  return BigInt(parameterOf(query, fixedAmount(query)) || 0) >= MIN_AMOUNT;
}

/**
 * Returns a query with a random amount, up to twice the given amount. No cache can contain a reply
 * to the new query.
 */
export function withNewAmount(query: Query, random: () => number): Query {
  const share =
    BigInt(Math.floor(random() * 2 ** 32)) * 2n ** 20n + BigInt(Math.floor(random() * 2 ** 20));
  return changeAmount(query, (amount) => amount + ((amount * share) >> 52n));
}

/** Sends requests at the same time, in random order; returns the replies in the given order. */
export async function inAnyOrder<Targets extends readonly RequestTarget[]>(
  { get }: Pick<Session, 'get'>,
  random: () => number,
  targets: readonly [...Targets],
): Promise<{ readonly [Index in keyof Targets]: Exchange }> {
  const replies: Promise<Exchange>[] = [];
  for (const index of shuffle([...targets.keys()], random)) {
    replies[index] = get(targets[index] as RequestTarget);
  }
  return (await Promise.all(replies)) as { readonly [Index in keyof Targets]: Exchange };
}
