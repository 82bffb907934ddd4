import { type Exchange, statusOf } from '../client/exchange.ts';
import type { Query, RequestTarget } from '../client/request.ts';
import { createRandom } from '../generate/deck.ts';
import { parameterIn, swapTarget } from '../generate/trades.ts';
import type { Session } from '../model/session.ts';
import {
  type Attempt,
  hasNewAmounts,
  inEitherOrder,
  judgeSides,
  type Shown,
  type Side,
  withNewAmount,
} from './one-sided.ts';
import { amountsOf, planKey } from './plan-key.ts';
import { createAssertions, type Run } from './probes.ts';
import { statusWords } from './reply-status.ts';

/** A request, and another that means the same; the other may be one that no query spells. */
export type Equivalent = readonly [one: Query, otherOf: (one: Query) => Query | RequestTarget];

/**
 * Returns a probe that holds where equivalent requests are answered with the same
 * plan: where they are not, one kind is answered better, or with a plan of another
 * form, again and again.
 */
export function samePlan(
  difference: string,
  equivalentsOf: (session: Session) => readonly Equivalent[],
  withoutAny: string,
): Run {
  return async (session) => {
    const equivalents = equivalentsOf(session).filter(([one]) => hasNewAmounts(one));
    if (equivalents.length === 0) return { kind: 'not-applicable', why: withoutAny };
    const assertions = createAssertions();
    const attempts = equivalents.map((equivalent, index) =>
      askBothWays(session, equivalent, difference, createRandom(session.seed + index * 7_919)),
    );
    await judgeSides(session, attempts, assertions);
    return assertions.verdict('no request was answered with a plan again');
  };
}

/** Returns what asks for a trade in two ways, each time with a new amount. */
function askBothWays(
  { get }: Session,
  [query, otherOf]: Equivalent,
  difference: string,
  random: () => number,
): Attempt {
  return async () => {
    const one = withNewAmount(query, random);
    const other = otherOf(one);
    const [first, second] = await inEitherOrder(
      random,
      () => get(swapTarget(one)),
      () => get('path' in other ? other : swapTarget(other)),
    );
    return compare(first, second, parameterIn(one, 'sellAmount') !== '', difference);
  };
}

function compare(
  first: Exchange,
  second: Exchange,
  isSale: boolean,
  difference: string,
): Shown | undefined {
  const isKept = [first, second].every(({ outcome }) => outcome.kind === 'reply');
  const [expected, actual] = [planKey(first), planKey(second)];
  if (!isKept || (expected === undefined && actual === undefined)) return undefined;
  const sides = [
    sideOf(worthOf(first, isSale), worthOf(second, isSale)),
    sideOf(formOf(expected), formOf(actual)) || sideOf(expected ?? '', actual ?? ''),
  ];
  const seen =
    statusOf(second) === 200
      ? `another plan: ${firstDifference(actual, expected)}`
      : statusWords(second);
  return {
    sides,
    finding: {
      expected: `the same plan ${difference}: ${firstDifference(expected, actual)}`,
      actual: seen,
      exchange: second,
    },
  };
}

function sideOf<T extends bigint | string>(one: T, other: T): Side {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** How good a plan is: more bought, or less sold; none is the worst. */
function worthOf(exchange: Exchange, isSale: boolean): bigint {
  const amounts = amountsOf(exchange);
  if (amounts === undefined) return -(1n << 256n);
  return isSale ? amounts.bought : -amounts.sold;
}

/** The pools and tokens of a plan, amounts apart. */
function formOf(key = ''): string {
  return key.replace(/ [0-9]+(?=$|[ +\n])/g, '');
}

function firstDifference(one: string | undefined, other: string | undefined): string {
  const lines = new Set((other ?? '').split('\n'));
  return (one ?? 'no plan').split('\n').find((line) => !lines.has(line)) ?? 'fewer routes';
}
