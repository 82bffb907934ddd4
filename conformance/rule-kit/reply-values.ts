import type { BodyLeg } from '../checks/plan.ts';
import { isObject, successBody, successObject } from '../checks/reply-body.ts';
import type { JudgedReply, TokenAddress } from '../model/judged-reply.ts';

/** A value in a reply and its place, a JSON pointer into the body. */
export type Found<T> = { readonly pointer: string; readonly value: T };

/** A JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** Returns the values of one kind in a reply; none unless the status is 200. */
export type Find<T> = (input: JudgedReply) => readonly Found<T>[];

/** The whole body of a 200, if it is an object. */
export const body: Find<Fields> = ({ reply }) => objectAt(successBody(reply), '');

/** The body of a 200, of any type. */
export const anyBody: Find<unknown> = ({ reply }) => {
  const value = successBody(reply);
  return value === undefined ? NONE : [{ pointer: '', value }];
};

/** The body of a 200, if it is an array. */
export const bodyArray: Find<readonly unknown[]> = ({ reply }) => {
  const value = successBody(reply);
  return Array.isArray(value) ? [{ pointer: '', value }] : NONE;
};

/** Returns the objects at properties of the body, such as `sell` and `buy`. */
function objectsAt(...names: readonly string[]): Find<Fields> {
  return ({ reply }) => {
    const object = successObject(reply);
    return names.flatMap((name) => objectAt(object?.[name], `/${name}`));
  };
}

/** The objects at `sell` and `buy`. */
export const sides: Find<Fields> = ({ swapBody }) =>
  swapBody === undefined ? NONE : objectsAmong([swapBody.sell, swapBody.buy]);

/** The two sides of a trade, with their names in requests and replies. */
export const SIDES = [
  {
    side: 'sell',
    parameter: 'sellToken',
    flag: 'wrapFromNative',
    otherFlag: 'unwrapToNative',
    find: objectsAt('sell'),
  },
  {
    side: 'buy',
    parameter: 'buyToken',
    flag: 'unwrapToNative',
    otherFlag: 'wrapFromNative',
    find: objectsAt('buy'),
  },
] as const;

function objectsIn(name?: string): Find<Fields> {
  const pointer = name === undefined ? '' : `/${name}`;
  return ({ reply }) => {
    const list = name === undefined ? successBody(reply) : successObject(reply)?.[name];
    if (!Array.isArray(list)) return NONE;
    const found: Found<Fields>[] = [];
    list.forEach((value: unknown, index) => {
      if (isObject(value)) found.push({ pointer: `${pointer}/${index}`, value });
    });
    return found;
  };
}

/** The objects in a list: the tokens in `/tokens`, the chains in `/chains`. */
export const entries = objectsIn();

export const routers = objectsIn('routers');

export const planTokens: Find<Fields> = ({ swapBody }) => objectsAmong(swapBody?.tokens ?? NONE);

/** The addresses of a plan's tokens. Omits tokens without an address. */
export function planAddresses({ tokenAddresses }: JudgedReply): readonly TokenAddress[] {
  return tokenAddresses;
}

export const routes: Find<Fields> = ({ swapBody }) => objectsAmong(swapBody?.routes ?? NONE);

/** The tokens at both ends of every route. */
export const routeTokens: Find<Fields> = ({ swapBody }) => {
  const legs: BodyLeg[] = [];
  for (const { from = NONE, to = NONE } of swapBody?.routes ?? NONE) {
    for (const leg of from) legs.push(leg);
    for (const leg of to) legs.push(leg);
  }
  return objectsAmong(legs);
};

/** The amounts in a plan: on both sides, and in every route. */
export const payloadAmounts: Find<string> = (input) => [
  ...strings(sides, 'amount')(input),
  ...strings(routeTokens, 'amount')(input),
];

export function strings(objects: Find<Fields>, ...fields: readonly string[]): Find<string> {
  return valuesAt(objects, fields, (value) => typeof value === 'string');
}

export function numbers(objects: Find<Fields>, ...fields: readonly string[]): Find<number> {
  return valuesAt(objects, fields, (value) => typeof value === 'number');
}

/** Finds the arrays in the given fields of objects. */
export function arrays(
  objects: Find<Fields>,
  ...fields: readonly string[]
): Find<readonly unknown[]> {
  return valuesAt(objects, fields, (value): value is readonly unknown[] => Array.isArray(value));
}

/** Finds the values of any type in the given fields of objects. */
export function values(objects: Find<Fields>, ...fields: readonly string[]): Find<unknown> {
  return valuesAt(objects, fields, (value): value is unknown => value !== undefined);
}

function valuesAt<T>(
  objects: Find<Fields>,
  fields: readonly string[],
  isWanted: (value: unknown) => value is T,
): Find<T> {
  return (input) => {
    let found: Found<T>[] | undefined;
    for (const object of objects(input)) {
      for (const field of fields) {
        const value = object.value[field];
        if (!isWanted(value)) continue;
        found ??= [];
        found.push({ pointer: `${object.pointer}/${field}`, value });
      }
    }
    return found ?? NONE;
  };
}

/** Finds the objects in one field of other objects, such as `metadata`. */
export function objectsWithin(objects: Find<Fields>, field: string): Find<Fields> {
  return (input) =>
    objects(input).flatMap(({ pointer, value }) => objectAt(value[field], `${pointer}/${field}`));
}

/** Returns a value with its place, or nothing if the value is not an object. */
export function objectAt(value: unknown, pointer: string): readonly Found<Fields>[] {
  return isObject(value) ? [{ pointer, value }] : NONE;
}

const NONE: readonly never[] = [];

function objectsAmong(entries: readonly Found<unknown>[]): readonly Found<Fields>[] {
  return entries.every(isFoundObject) ? entries : entries.filter(isFoundObject);
}

function isFoundObject(entry: Found<unknown>): entry is Found<Fields> {
  return isObject(entry.value);
}
