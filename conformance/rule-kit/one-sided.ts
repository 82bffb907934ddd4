import type { Exchange } from '../client/exchange.ts';
import type { Query, RequestTarget } from '../client/request.ts';
import { shuffle } from '../generate/deck.ts';
import { parameterIn, setParameter } from '../generate/trades.ts';
import type { Finding } from '../model/rule.ts';
import type { Session } from '../model/session.ts';
import type { Assertions } from './probes.ts';

/*
 * Two replies may differ because the market moved between them, because one came
 * from a cache, or because the service took the requests in another order. None
 * of that knows which of the two was asked in which way, if three things hold:
 *
 * - a coin that is ours decides for each try which of the two is sent first;
 * - each try has an amount that was not asked for before, so that no cache holds
 *   one of them and not the other;
 * - a difference has a side: the one plan is better than the other, or it is not.
 *
 * So for a service that treats both alike, whatever its market, its caches and
 * its delays do, each side is a toss of our own coin, and `IN_A_ROW` differences
 * on one side come about once in 2^(IN_A_ROW - 1). A fault of the service has one
 * side, however often it is asked.
 */

/**
 * Differences on one side that are taken for a fault. A run tosses for each
 * relation, trade and measure: some 1,000 times, and false alarms add up at most,
 * however they hang together: 1,000 / 2^24 is 0.6 in 10,000 runs.
 */
export const IN_A_ROW = 25;
/** Where the user says that the market does not move, nothing is left to chance but a reply that is wrong in itself. */
const IN_A_ROW_FROZEN = 2;
/** Tries without a difference, after one with, until it is taken for chance. */
const MAX_LEVEL = 12;
/** Amounts of fewer base units leave too few new ones to ask for. */
const MIN_AMOUNT = 10_000n;

/** On which side two replies differ: 1 or -1, or 0 where they do not. */
export type Side = -1 | 0 | 1;

/** What two replies show: the side by each of some measures, and what is wrong if that stays so. */
export type Shown = { readonly sides: readonly Side[]; readonly finding: Finding };

/** Makes two requests that were not made before, and says what their replies show; undefined where they cannot be compared. */
export type Attempt = () => Promise<Shown | undefined>;

/** Pairs of requests that are asked again at once: what is wrong with one is mostly wrong with all. */
const FOLLOWED_AT_ONCE = 4;

/**
 * Tries each of some pairs of requests once, and asks those that differ again
 * until that is told for chance or for a fault; the first fault ends it. Every
 * pair that was judged is counted in `assertions`. `wrongSide` is the side that
 * breaks the promise; unset, either is.
 */
export async function judgeSides(
  { frozen }: Pick<Session, 'frozen'>,
  attempts: readonly Attempt[],
  assertions: Pick<Assertions, 'check'>,
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
        frozen ? IN_A_ROW_FROZEN : IN_A_ROW,
        wrongSide,
      );
      assertions.check(finding);
      isFound ||= finding !== undefined;
    }
  };
  await Promise.all(Array.from({ length: FOLLOWED_AT_ONCE }, follow));
}

/** Returns what is wrong where replies go on to differ on the side of their first difference, by one of the measures. */
async function confirmSide(
  first: Shown,
  again: Attempt,
  needed: number,
  wrongSide: Side | undefined,
): Promise<Finding | undefined> {
  let rows = first.sides.flatMap((side, measure) =>
    side === 0 ? [] : [{ measure, side: wrongSide ?? side, length: 0 }],
  );
  let [shown, level]: [Shown | undefined, number] = [first, 0];
  for (;;) {
    const sideOf = (measure: number) => shown?.sides[measure] ?? 0;
    rows = rows.filter(({ measure, side }) => sideOf(measure) !== -side);
    const longer = rows.filter(({ measure, side }) => sideOf(measure) === side);
    for (const row of longer) row.length++;
    if (longer.some(({ length }) => length >= needed)) return shown?.finding;
    if (longer.length === 0) level++;
    if (rows.length === 0 || level > MAX_LEVEL) return undefined;
    shown = await again();
  }
}

/** Returns whether enough amounts near that of a query were not asked for yet. */
export function hasNewAmounts(query: Query): boolean {
  return amountOf(query).amount >= MIN_AMOUNT;
}

/** Returns a query with an amount up to twice as large, at random: one that no cache holds. */
export function withNewAmount(query: Query, random: () => number): Query {
  const { name, amount } = amountOf(query);
  const share =
    BigInt(Math.floor(random() * 2 ** 32)) * 2n ** 20n + BigInt(Math.floor(random() * 2 ** 20));
  return setParameter(query, name, [String(amount + ((amount * share) >> 52n))]);
}

/** Sends requests at once, in random order; returns the replies in the order given. */
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

function amountOf(query: Query) {
  const name = parameterIn(query, 'sellAmount') === '' ? 'buyAmount' : 'sellAmount';
  return { name, amount: BigInt(parameterIn(query, name) || 0) };
}
