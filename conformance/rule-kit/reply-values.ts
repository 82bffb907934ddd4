import { isObject, memoize, successBody, successObject } from '../checks/reply-body.ts';
import type { Reply } from '../client/exchange.ts';

/** A value of a reply, and where it stands: a JSON pointer into the body. */
export type Found<T> = { readonly pointer: string; readonly value: T };

/** A JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** Returns the values of one kind in a reply; none where the reply has none, or is no success. */
export type Find<T> = (input: { readonly reply: Reply }) => readonly Found<T>[];

/** The whole body of a 200, where it is an object. */
export const body: Find<Fields> = ({ reply }) => objectAt(successBody(reply), '');

/** The body of a 200, whatever it is. */
export const anyBody: Find<unknown> = ({ reply }) => {
  const value = successBody(reply);
  return value === undefined ? [] : [{ pointer: '', value }];
};

export const bodyArray: Find<readonly unknown[]> = (input) =>
  anyBody(input).flatMap(({ pointer, value }) =>
    Array.isArray(value) ? [{ pointer, value }] : [],
  );

/** Returns the objects at properties of the body, such as `sell` and `buy`. */
export function objectsAt(...names: readonly string[]): Find<Fields> {
  return ({ reply }) => {
    const object = successObject(reply);
    return names.flatMap((name) => objectAt(object?.[name], `/${name}`));
  };
}

/** Returns the objects in an array of the body: of the property named, or the body itself. */
function objectsIn(name?: string): Find<Fields> {
  return once((reply) =>
    name === undefined
      ? elementsOf(successBody(reply), '')
      : elementsOf(successObject(reply)?.[name], `/${name}`),
  );
}

/** The objects of a list: the tokens of `/tokens`, the chains of `/chains`. */
export const entries = objectsIn();

export const routers = objectsIn('routers');

export const planTokens = objectsIn('tokens');

export const routes = objectsIn('routes');

/** The tokens at both ends of every route. */
export const routeTokens: Find<Fields> = once((reply) => {
  const found: Found<Fields>[] = [];
  for (const { pointer, value } of routes({ reply })) {
    for (const end of ['fromTokens', 'toTokens']) {
      gatherElements(found, value[end], `${pointer}/${end}`);
    }
  }
  return found;
});

/** The amounts of a plan: of both sides and of the tokens of every route. */
export const payloadAmounts: Find<string> = once((reply) =>
  [objectsAt('sell', 'buy'), routeTokens].flatMap((objects) =>
    strings(objects, 'amount')({ reply }),
  ),
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
    const found: Found<T>[] = [];
    for (const { pointer, value: object } of objects(input)) {
      for (const field of fields) {
        const value = object[field];
        if (isWanted(value)) found.push({ pointer: `${pointer}/${field}`, value });
      }
    }
    return found;
  };
}

/** Returns a value as an object at its place, or nothing where it is none. */
export function objectAt(value: unknown, pointer: string): readonly Found<Fields>[] {
  return isObject(value) ? [{ pointer, value }] : [];
}

function once<T>(find: (reply: Reply) => readonly Found<T>[]): Find<T> {
  const read = memoize(find);
  return ({ reply }) => read(reply);
}

function elementsOf(value: unknown, pointer: string): readonly Found<Fields>[] {
  const found: Found<Fields>[] = [];
  gatherElements(found, value, pointer);
  return found;
}

/** Adds the objects of an array, where it is one; no list is made for each of many arrays. */
function gatherElements(found: Found<Fields>[], value: unknown, pointer: string): void {
  if (!Array.isArray(value)) return;
  for (const [index, element] of value.entries()) {
    if (isObject(element)) found.push({ pointer: `${pointer}/${index}`, value: element });
  }
}
