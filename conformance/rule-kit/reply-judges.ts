import { isObject, memoize } from '../checks/reply-body.ts';
import type { JudgedReply, ReplyRule } from '../model/rule.ts';
import { quote, type Statement, words } from '../model/statement.ts';
import { type Fault, PASS, verdictOf } from './faults.ts';
import { type PlanView, planOf } from './plan-of-reply.ts';
import {
  anyBody,
  type Find,
  type Found,
  payloadAmounts,
  routeTokens,
  sides,
} from './reply-values.ts';

export type Judge = ReplyRule['judge'];

/** Words of a fault: the same for every value, or made from the one at fault. */
type Words<Item> = Statement | ((item: Item, input: JudgedReply) => Statement);

/**
 * Returns a judge that holds where every value found satisfies a condition. It
 * does not apply to a reply without such a value.
 *
 * @example
 * each(numbers(body, 'nativeTokenUsdPrice'), (price) => price >= 0, words`0 or more`)
 */
export function each<Item extends Found<unknown>>(
  find: (input: JudgedReply) => readonly Item[],
  holds: (value: Item['value'], item: Item, input: JudgedReply) => boolean,
  expected: Words<Item>,
  actual: Words<Item> = ({ value }) => [quote(value)],
): Judge {
  return (input) => {
    const items = find(input);
    if (items.length === 0) return undefined;
    let wrong: Item[] | undefined;
    for (const item of items) {
      if (holds(item.value, item, input)) continue;
      wrong ??= [];
      wrong.push(item);
    }
    return wrong === undefined
      ? PASS
      : verdictOf(wrong, (item) => faultAt(item, input, expected, actual));
  };
}

/** Returns a judge that holds where every amount of a plan satisfies a condition, which ordinary ones do without a look. */
export function eachAmount(holds: (amount: string) => boolean, expected: Statement): Judge {
  const judge = each(payloadAmounts, holds, expected);
  return (input) => (areOrdinary(input.reply) ? PASS : judge(input));
}

/** Whether a reply has amounts, all of them written in the one canonical way, and of fewer digits than 2^256. */
const areOrdinary = memoize((reply) => {
  let hasAmounts = false;
  for (const find of [sides, routeTokens]) {
    for (const { value, amount } of find({ reply })) {
      const { amount: text } = value;
      if (typeof text !== 'string') continue;
      const isPlain = text.length < 78 && (text.length === 1 || !text.startsWith('0'));
      if (amount === undefined || !isPlain) return false;
      hasAmounts = true;
    }
  }
  return hasAmounts;
});

/** Returns a judge that finds fault with every item found: undefined where it does not apply. */
export function none<Item extends string | { readonly pointer: string }>(
  find: (input: JudgedReply) => readonly Item[] | undefined,
  expected: Words<Item>,
  actual: Words<Item>,
): Judge {
  return (input) => {
    const items = find(input);
    if (items === undefined || items.length === 0) return items && PASS;
    return verdictOf(items, (item) => faultAt(item, input, expected, actual));
  };
}

/** Returns a judge that holds where no two values found are equal, or have an equal key. */
export function unique<Item extends Found<unknown>>(
  find: (input: JudgedReply) => readonly Item[],
  expected: Statement,
  keyOf: (item: Item) => unknown = ({ value }) => value,
): Judge {
  const repeated = (input: JudgedReply) => {
    const items = find(input);
    if (items.length === 0) return undefined;
    const seen = new Set<unknown>();
    return items.filter((item) => seen.size === seen.add(keyOf(item)).size);
  };
  return none(repeated, expected, ({ value }) => words`${quote(value)} again`);
}

/** Holds where the body of a 200 is an array of objects. */
export const listOfObjects: Judge = each(
  anyBody,
  (value) => Array.isArray(value) && value.every(isObject),
  words`an array of objects`,
);

export function when(applies: (input: JudgedReply) => boolean, judge: Judge): Judge {
  return (input) => (applies(input) ? judge(input) : undefined);
}

/** Returns a judge that records what a reply shows, one thing or several, and finds fault with nothing. */
export function observe(
  textOf: (input: JudgedReply) => string | readonly string[] | undefined,
): Judge {
  return (input) => {
    const observed = textOf(input);
    return observed === undefined ? undefined : { findings: [], observed };
  };
}

/** Returns what is found, each beside what is known of it; what nothing is known of is left out. */
export function beside<T, Known>(
  find: Find<T>,
  knownOf: (input: JudgedReply) => Known | undefined,
): (input: JudgedReply) => readonly Beside<T, Known>[] {
  return (input) => {
    const all = find(input);
    const known = all.length === 0 ? undefined : knownOf(input);
    return known === undefined ? [] : all.map((found) => new Beside(found, known));
  };
}

/** What is found, and what is known of it. */
export class Beside<T, Known> implements Found<T> {
  readonly found: Found<T>;
  readonly value: T;
  readonly known: Known;

  constructor(found: Found<T>, known: Known) {
    this.found = found;
    this.value = found.value;
    this.known = known;
  }

  get pointer(): string {
    return this.found.pointer;
  }
}

/** Returns what is found in the plan of a reply; undefined where there is no plan. */
export function inPlan<T>(
  find: (view: PlanView, input: JudgedReply) => T,
): (input: JudgedReply) => T | undefined {
  return (input) => {
    const view = planOf(input.reply);
    return view && find(view, input);
  };
}

function faultAt<Item extends string | { readonly pointer: string }>(
  item: Item,
  input: JudgedReply,
  expected: Words<Item>,
  actual: Words<Item>,
): Fault {
  const say = (given: Words<Item>) => (typeof given === 'function' ? given(item, input) : given);
  const pointer = typeof item === 'string' ? item : item.pointer;
  return { expected: say(expected), actual: say(actual), pointer };
}
