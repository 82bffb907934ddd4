import { isObject } from '../checks/reply-body.ts';
import type { JudgedReply, PlanView } from '../model/judged-reply.ts';
import type { Fault, ReplyRule } from '../model/rule.ts';
import { jsonType, quote, type Statement, words } from '../model/statement.ts';
import { faultsOf } from './faults.ts';
import { anyBody, type Find, type Found, payloadAmounts } from './reply-values.ts';

export type Judge = ReplyRule['check'];

type FaultWords<Item> = Statement | ((item: Item, input: JudgedReply) => Statement);

type FaultNaming<Item> = string | ((item: Item) => Pick<Fault, 'fault' | 'data'>);

/**
 * Returns a judge that holds if every found value satisfies a condition. The judge does not apply
 * to replies without such a value.
 *
 * @example
 * each(numbers(body, 'nativeTokenUsdPrice'), (price) => price >= 0, 'negative', words`0 or more`)
 */
export function each<Item extends Found<unknown>>(
  find: (input: JudgedReply) => readonly Item[],
  holds: (value: Item['value'], item: Item, input: JudgedReply) => boolean,
  fault: FaultNaming<Item>,
  expected: FaultWords<Item>,
  actual: FaultWords<Item> = ({ value }) => [quote(value)],
): Judge {
  const naming = withTypeInData(fault);
  return (input, t) => {
    const items = find(input);
    if (items.length === 0) return;
    let wrong: Item[] | undefined;
    for (const item of items) {
      if (holds(item.value, item, input)) continue;
      wrong ??= [];
      wrong.push(item);
    }
    t.check(wrong && faultsOf(wrong, (item) => faultAt(item, input, naming, expected, actual)));
  };
}

function withTypeInData<Item extends Found<unknown>>(naming: FaultNaming<Item>): FaultNaming<Item> {
  return (item) => {
    const { fault, data } = named(naming, item);
    return { fault, data: { type: jsonType(item.value), ...data } };
  };
}

/** Returns a judge that holds if every amount of a plan satisfies a condition. */
export function eachAmount(
  holds: (amount: string) => boolean,
  fault: string,
  expected: Statement,
): Judge {
  return each(payloadAmounts, holds, fault, expected);
}

/**
 * Returns a judge that holds if nothing is found, and otherwise reports the first few items as
 * faults. The judge does not apply if `find` returns undefined.
 */
export function none<Item extends string | { readonly pointer: string }>(
  find: (input: JudgedReply) => readonly Item[] | undefined,
  fault: FaultNaming<Item>,
  expected: FaultWords<Item>,
  actual: FaultWords<Item>,
): Judge {
  return (input, t) => {
    const items = find(input);
    if (items === undefined) return;
    t.check(faultsOf(items, (item) => faultAt(item, input, fault, expected, actual)));
  };
}

/** Returns a judge that holds if no two values found have the same key. */
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
  return none(repeated, 'repeated', expected, ({ value }) => words`${quote(value)} again`);
}

/** Holds if the body of a 200 is an array of objects. */
export const listOfObjects: Judge = each(
  anyBody,
  (value) => Array.isArray(value) && value.every(isObject),
  'no-list-of-objects',
  words`an array of objects`,
);

/** Returns a judge that applies only to some replies. */
export function when(applies: (input: JudgedReply) => boolean, judge: Judge): Judge {
  return (input, t) => {
    if (applies(input)) judge(input, t);
  };
}

/** Returns a judge that only records observations on a reply. */
export function observe(
  textOf: (input: JudgedReply) => string | readonly string[] | undefined,
): Judge {
  return (input, t) => {
    const observed = textOf(input);
    if (observed === undefined) return;
    t.check();
    for (const text of [observed].flat()) t.observe(text);
  };
}

/** A found value, and the known value to compare it with. */
export type Compared<T, Known> = Found<T> & { readonly known: Known };

/** Pairs each found value with the known value to compare it with; none if no value is known. */
export function comparedWith<T, Known>(
  find: Find<T>,
  knownOf: (input: JudgedReply) => Known | undefined,
): (input: JudgedReply) => readonly Compared<T, Known>[] {
  return (input) => {
    const all = find(input);
    const known = all.length === 0 ? undefined : knownOf(input);
    return known === undefined ? [] : all.map(({ pointer, value }) => ({ pointer, value, known }));
  };
}

/** Applies `find` to the plan of a reply. Returns undefined if there is no plan. */
export function inPlan<T>(
  find: (view: PlanView, input: JudgedReply) => T,
): (input: JudgedReply) => T | undefined {
  return (input) => input.plan && find(input.plan, input);
}

function faultAt<Item extends string | { readonly pointer: string }>(
  item: Item,
  input: JudgedReply,
  naming: FaultNaming<Item>,
  expected: FaultWords<Item>,
  actual: FaultWords<Item>,
): Fault {
  const wordsOf = (given: FaultWords<Item>) =>
    typeof given === 'function' ? given(item, input) : given;
  const pointer = typeof item === 'string' ? item : item.pointer;
  return { ...named(naming, item), expected: wordsOf(expected), actual: wordsOf(actual), pointer };
}

function named<Item>(naming: FaultNaming<Item>, item: Item): Pick<Fault, 'fault' | 'data'> {
  return typeof naming === 'function' ? naming(item) : { fault: naming };
}
