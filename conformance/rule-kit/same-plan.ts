import { successObject } from '../checks/reply-body.ts';
import { type Exchange, statusOf } from '../client/exchange.ts';
import { fixedAmount, type Query, type RequestTarget } from '../client/request.ts';
import { firstIfQuick } from '../generate/budget.ts';
import { swapTarget } from '../generate/trades.ts';
import { randomFor } from '../model/random.ts';
import type { Session } from '../model/session.ts';
import { note, ownWords, quote, type Statement, words } from '../model/statement.ts';
import {
  type Attempt,
  hasNewAmounts,
  inAnyOrder,
  judgeSides,
  type ReplyComparison,
  type Side,
  withNewAmount,
} from './one-sided.ts';
import { amountsOf, formOf, planKey } from './plan-key.ts';
import type { Run } from './probes.ts';
import { replyOf, statusData, statusWords } from './reply-status.ts';

/**
 * A request, and a function that returns another request with the same meaning, possibly with a
 * handwritten query. `difference` overrides the difference that the relation names.
 */
export type EquivalentRequests = readonly [
  one: Query,
  otherOf: (one: Query) => Query | RequestTarget,
  difference?: Difference,
];

/** Difference between two equivalent requests: `id` identifies it, `words` describe it. */
export type Difference = { readonly id: string; readonly words: string };

/** Additional requirements on equivalent requests, and exceptions. */
export type Strictness = {
  /** True if equal plans must have the same calldata, except for deadlines. Default false. */
  readonly comparesCalldata?: boolean;
  /**
   * True if the other request may be rejected with 400, since its format is arguable. Default
   * false.
   */
  readonly mayBeRejected?: boolean;
};

/**
 * Returns a probe that holds if equivalent requests return the same plan. The probe fails if one of
 * the two requests consistently returns the better plan, or a plan of another form.
 */
export function samePlan(
  difference: string,
  equivalentsOf: (session: Session) => readonly EquivalentRequests[],
  withoutAny: string,
  strictness: Strictness = {},
): Run {
  return async (session, t) => {
    const all = equivalentsOf(session).filter(([one]) => hasNewAmounts(one));
    const equivalents = firstIfQuick(all, session);
    if (equivalents.length === 0) return t.skip(withoutAny);
    const attempts = equivalents.map((equivalent, index) =>
      requestBothWays(
        session,
        equivalent,
        (replies, isSale) =>
          compare(replies, isSale, equivalent[2] ?? { id: '', words: difference }, strictness),
        randomFor(session.seed, index),
      ),
    );
    await judgeSides(session, attempts, t);
    t.stuck('no request returned a plan again');
  };
}

type Replies = readonly [first: Exchange, second: Exchange];

function requestBothWays(
  session: Session,
  [query, otherOf]: EquivalentRequests,
  compareReplies: (replies: Replies, isSale: boolean) => ReplyComparison | undefined,
  random: () => number,
): Attempt {
  return async () => {
    const one = withNewAmount(query, random);
    const other = otherOf(one);
    const targets = [swapTarget(one), 'path' in other ? other : swapTarget(other)] as const;
    const replies = await inAnyOrder(session, random, targets);
    return compareReplies(replies, fixedAmount(one) === 'sellAmount');
  };
}

function compare(
  replies: Replies,
  isSale: boolean,
  { id, words: difference }: Difference,
  { comparesCalldata = false, mayBeRejected = false }: Strictness,
): ReplyComparison | undefined {
  const [first, second] = replies;
  const hasReplies = replies.every(({ outcome }) => outcome.kind === 'reply');
  const [expected, actual] = [planKey(first), planKey(second)];
  if (!hasReplies || (expected === undefined && actual === undefined)) return undefined;
  const written = id === '' ? {} : { written: id };
  const isRejected = mayBeRejected && statusOf(second) === 400;
  const plans = isRejected
    ? []
    : [
        sideOf(worthOf(first, isSale), worthOf(second, isSale)),
        sideOf(formOf(expected), formOf(actual)) || sideOf(expected ?? '', actual ?? ''),
      ];
  if (expected === actual && comparesCalldata) {
    const [one, other] = replies.map((each) => maskedCalldata(each, first.startedAtMs)) as [
      string,
      string,
    ];
    return {
      sides: [...plans, sideOf(one, other)],
      finding: {
        ...{ fault: 'other-calldata', data: written },
        ...{ ...describeCalldata(one, other, difference), exchange: second },
      },
    };
  }
  const seen =
    statusOf(second) === 200
      ? words`another plan: ${firstDifference(actual, expected)}`
      : statusWords(second);
  return {
    sides: plans,
    finding: {
      fault: actual === undefined ? 'no-plan' : expected === undefined ? 'plan' : 'other-plan',
      data: { ...(statusOf(second) !== 200 && statusData(second)), ...written },
      expected: words`the same plan ${ownWords(difference)}: ${firstDifference(expected, actual)}`,
      actual: seen,
      exchange: second,
    },
  };
}

function maskedCalldata(exchange: Exchange, repliedAtMs: number): string {
  const reply = replyOf(exchange);
  const calldata = reply && successObject(reply)?.['calldata'];
  return maskMoments(typeof calldata === 'string' ? calldata : '', repliedAtMs);
}

/**
 * Range of masked timestamps, in seconds before and after the reply. Calldata may contain the time
 * of the quote, and a deadline.
 */
const [BEFORE, AFTER] = [3_600, 86_400];

/**
 * Returns calldata in lower case, and masks timestamps near the time of the reply. Two replies to
 * one request may differ only in their deadlines.
 *
 * @example maskMoments('0xAA6553F100BB', 1_700_000_000_000) // '0xaa........bb'
 */
export function maskMoments(calldata: string, repliedAtMs: number): string {
  const hex = calldata.toLowerCase();
  const now = Math.floor(repliedAtMs / 1_000);
  let masked = hex.slice(0, 2);
  for (let at = 2; at < hex.length; ) {
    const second = Number.parseInt(hex.slice(at, at + 8), 16);
    const isMoment = at + 8 <= hex.length && second >= now - BEFORE && second <= now + AFTER;
    masked += isMoment ? '.'.repeat(8) : hex.slice(at, at + 2);
    at += isMoment ? 8 : 2;
  }
  return masked;
}

const MAX_SHOWN_CALLDATA_BYTES = 32;

function describeCalldata(one: string, other: string, difference: string) {
  let at = 2;
  while (at < one.length && one.slice(at, at + 2) === other.slice(at, at + 2)) at += 2;
  const beginningOf = (calldata: string) =>
    quote(calldata.slice(at, at + 2 * MAX_SHOWN_CALLDATA_BYTES));
  return {
    expected: words`the same calldata for the same plan ${ownWords(difference)}: from byte ${at / 2 - 1} on, ${beginningOf(one)}`,
    actual: [beginningOf(other)],
  };
}

function sideOf<T extends bigint | string>(one: T, other: T): Side {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** More bought or less sold is better; no plan is the worst. */
function worthOf(exchange: Exchange, isSale: boolean): bigint {
  const amounts = amountsOf(exchange);
  if (amounts === undefined) return -(1n << 256n);
  return isSale ? amounts.bought : -amounts.sold;
}

function firstDifference(one: string | undefined, other: string | undefined): Statement {
  if (one === undefined) return words`no plan`;
  const lines = new Set((other ?? '').split('\n'));
  const line = one.split('\n').find((each) => !lines.has(each));
  return line === undefined ? words`fewer routes` : [note(line)];
}
