import { addressKey } from '../checks/hex.ts';
import { type BodyLeg, plainSwapBodyIn } from '../checks/plan.ts';
import { isObject, memoize, successBody, successObject } from '../checks/reply-body.ts';
import type { Reply } from '../client/exchange.ts';

/** A value of a reply, and where it stands: a JSON pointer into the body. */
export type Found<T> = { readonly pointer: string; readonly value: T };

/** A JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** Returns the values of one kind in a reply; none where the reply has none, or is no success. */
export type Find<T> = (input: { readonly reply: Reply }) => readonly Found<T>[];

/** What stands inside something found. Many are found and few shown: a pointer is written when it is asked for. */
export class Inside<T> implements Found<T> {
  readonly parent: { readonly pointer: string };
  readonly key: string | number;
  readonly value: T;

  constructor(parent: { readonly pointer: string }, key: string | number, value: T) {
    this.parent = parent;
    this.key = key;
    this.value = value;
  }

  get pointer(): string {
    return `${this.parent.pointer}/${this.key}`;
  }
}

/** The whole body of a 200, where it is an object. */
export const body: Find<Fields> = once((reply) => objectAt(successBody(reply), ''));

/** The body of a 200, whatever it is. */
export const anyBody: Find<unknown> = once((reply) => {
  const value = successBody(reply);
  return value === undefined ? [] : [{ pointer: '', value }];
});

export const bodyArray: Find<readonly unknown[]> = once((reply) => {
  const value = successBody(reply);
  return Array.isArray(value) ? [{ pointer: '', value }] : [];
});

/** Returns the objects at properties of the body, such as `sell` and `buy`. */
export function objectsAt(...names: readonly string[]): Find<Fields> {
  return once((reply) => {
    const found: Found<Fields>[] = [];
    const object = successObject(reply);
    for (const name of names) {
      const value = object?.[name];
      if (isObject(value)) found.push({ pointer: `/${name}`, value });
    }
    return found;
  });
}

/** What is sold and what is bought. */
export const sides = once((reply) => {
  const plan = plainSwapBodyIn(reply);
  return plan === undefined ? NONE : objectsAmong([plan.sell, plan.buy]);
});

/** Returns the objects in an array of the body: of the property named, or the body itself. */
function objectsIn(name?: string): Find<Fields> {
  const list = { pointer: name === undefined ? '' : `/${name}` };
  return once((reply) => {
    const found: Found<Fields>[] = [];
    const value = name === undefined ? successBody(reply) : successObject(reply)?.[name];
    gatherElements(found, value, list);
    return found;
  });
}

/** The objects of a list: the tokens of `/tokens`, the chains of `/chains`. */
export const entries = objectsIn();

export const routers = objectsIn('routers');

export const planTokens = once((reply) => objectsAmong(plainSwapBodyIn(reply)?.tokens ?? NONE));

/** The address of a token of a plan. */
export class TokenAddress implements Found<string> {
  readonly token: Found<Fields>;
  readonly value: string;
  /** The spelling that equal addresses share. */
  readonly keyOfAddress: string;

  constructor(token: Found<Fields>, address: string) {
    this.token = token;
    this.value = address;
    this.keyOfAddress = addressKey(address);
  }

  get pointer(): string {
    return `${this.token.pointer}/address`;
  }
}

/** The addresses of a plan's tokens, of those that have one. */
export const planAddresses: (input: { readonly reply: Reply }) => readonly TokenAddress[] = once(
  (reply) => {
    const found: TokenAddress[] = [];
    for (const token of planTokens({ reply })) {
      const { address } = token.value;
      if (typeof address === 'string') found.push(new TokenAddress(token, address));
    }
    return found;
  },
);

export const routes = once((reply) => objectsAmong(plainSwapBodyIn(reply)?.routes ?? NONE));

/** The tokens at both ends of every route. */
export const routeTokens = once((reply) => {
  const legs: BodyLeg[] = [];
  for (const { from = NONE, to = NONE } of plainSwapBodyIn(reply)?.routes ?? NONE) {
    for (const leg of from) legs.push(leg);
    for (const leg of to) legs.push(leg);
  }
  return objectsAmong(legs);
});

/** The amounts of a plan: of both sides and of the tokens of every route. */
export const payloadAmounts: Find<string> = once((reply) =>
  [sides, routeTokens].flatMap((objects) => strings(objects, 'amount')({ reply })),
);

export function strings(objects: Find<Fields>, ...fields: readonly string[]): Find<string> {
  return valuesAt(objects, fields, (value) => typeof value === 'string');
}

export function numbers(objects: Find<Fields>, ...fields: readonly string[]): Find<number> {
  return valuesAt(objects, fields, (value) => typeof value === 'number');
}

/** Returns the arrays that objects of a reply have in some fields. */
export function arrays(
  objects: Find<Fields>,
  ...fields: readonly string[]
): Find<readonly unknown[]> {
  return valuesAt(objects, fields, (value): value is readonly unknown[] => Array.isArray(value));
}

/** Returns what objects of a reply have in some fields, whatever it is. */
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
        found.push(new Inside(object, field, value));
      }
    }
    return found ?? NONE;
  };
}

/** Returns the objects in a field of objects of a reply. */
export function objectsWithin(objects: Find<Fields>, field: string): Find<Fields> {
  return once((reply) => {
    const found: Found<Fields>[] = [];
    for (const object of objects({ reply })) {
      const { [field]: value } = object.value;
      if (isObject(value)) found.push(new Inside(object, field, value));
    }
    return found;
  });
}

/** Returns a value as an object at its place, or nothing where it is none. */
export function objectAt(value: unknown, pointer: string): readonly Found<Fields>[] {
  return isObject(value) ? [{ pointer, value }] : NONE;
}

const NONE: readonly never[] = [];

function once<Item>(find: (reply: Reply) => readonly Item[]) {
  const read = memoize(find);
  return ({ reply }: { readonly reply: Reply }) => read(reply);
}

/** Returns the entries that are objects: most often all of them. */
function objectsAmong<Entry extends Found<unknown>>(entries: readonly Entry[]) {
  const isAnObject = (entry: Entry): entry is Entry & Found<Fields> => isObject(entry.value);
  return entries.every(isAnObject) ? entries : entries.filter(isAnObject);
}

/** Adds the objects of an array, where it is one; no list is made for each of many arrays. */
function gatherElements(found: Found<Fields>[], value: unknown, list: Inside<unknown>['parent']) {
  if (!Array.isArray(value)) return;
  for (let index = 0; index < value.length; index++) {
    const element: unknown = value[index];
    if (isObject(element)) found.push(new Inside(list, index, element));
  }
}
