import type { Exchange } from '../client/exchange.ts';
import type { Query, RequestTarget } from '../client/request.ts';
import { shuffle } from '../generate/deck.ts';
import { parameterIn, setParameter } from '../generate/trades.ts';
import type { Finding } from '../model/rule.ts';
import type { Session } from '../model/session.ts';
import type { Assertions } from './probes.ts';

/*
 * Two replies may differ because the market moved between them, because one was cached, or because
 * the service handled the requests in another order. None of these depends on how the two requests
 * differ, under three conditions: a random choice of ours decides for each attempt which request is
 * sent first; each attempt has a new amount, so that no cache has only one of the replies; and a
 * difference has a side, as one plan is better than the other. So for a service that treats both
 * requests alike, whatever its market, caches and delays do, each side is the result of our own
 * random choice, and `IN_A_ROW` differences on one side occur once in 2^(IN_A_ROW - 1). A fault of
 * the service is always on the same side.
 */

/**
 * Number of differences on one side that count as a fault. A run makes about 1,000 random choices
 * (relations, trades and measures), and the probabilities of false alarms at most add up, however
 * they depend on each other: 1,000 / 2^24 is 0.6 in 10,000 runs.
 */
export const IN_A_ROW = 25;
/**
 * If the user declares that the market does not move, only a single wrong reply can be a
 * coincidence.
 */
const IN_A_ROW_FROZEN = 2;
/** Maximum number of attempts without a difference, after which an earlier one counts as chance. */
const MAX_LEVEL = 12;
/** Minimum amount, in base units, with enough new amounts near it. */
const MIN_AMOUNT = 10_000n;

/** The side on which two replies differ; 0 if they do not. */
export type Side = -1 | 0 | 1;

/**
 * The comparison of two replies: the side by each measure, and the finding if the side stays the
 * same.
 */
export type Shown = { readonly sides: readonly Side[]; readonly finding: Finding };

/** Sends two new requests and compares their replies; undefined if they cannot be compared. */
export type Attempt = () => Promise<Shown | undefined>;

/**
 * Maximum number of pairs that are repeated at the same time: a fault of one is mostly a fault of
 * all.
 */
const FOLLOWED_AT_ONCE = 4;

/**
 * Tries each pair of requests once, then repeats those that differ until the difference is known to
 * be chance or a fault. The first fault ends the search. Every judged pair counts as a check.
 * `wrongSide` is the side that breaks the rule; if unset, either does.
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

/**
 * Returns the finding if replies keep differing on the side of their first difference, by one of
 * the measures.
 */
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

/** Returns whether a query's amount is large enough for new amounts near it. */
export function hasNewAmounts(query: Query): boolean {
  return amountOf(query).amount >= MIN_AMOUNT;
}

/** Returns a query with a random amount, up to twice as large, which no cache contains. */
export function withNewAmount(query: Query, random: () => number): Query {
  const { name, amount } = amountOf(query);
  const share =
    BigInt(Math.floor(random() * 2 ** 32)) * 2n ** 20n + BigInt(Math.floor(random() * 2 ** 20));
  return setParameter(query, name, [String(amount + ((amount * share) >> 52n))]);
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

function amountOf(query: Query) {
  const name = parameterIn(query, 'sellAmount') === '' ? 'buyAmount' : 'sellAmount';
  return { name, amount: BigInt(parameterIn(query, name) || 0) };
}
