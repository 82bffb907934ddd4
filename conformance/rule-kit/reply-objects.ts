import type { Reply } from '../client/exchange.ts';
import type { Place } from './field-rules.ts';

/** Returns the body of a 200 as an object, or undefined where it is none. */
export function successObject(reply: Reply): Readonly<Record<string, unknown>> | undefined {
  const value = successBody(reply);
  return isObject(value) ? value : undefined;
}

/** Returns the body of a 200, or undefined where it is no JSON. */
export function successBody(reply: Reply): unknown {
  return reply.status === 200 && reply.document.kind === 'json' ? reply.document.value : undefined;
}

/** Returns the whole body as the one place to judge. */
export function wholeBody(reply: Reply): readonly Place[] {
  const object = successObject(reply);
  return object === undefined ? NOWHERE : [{ pointer: '', object }];
}

/** Returns the objects at properties of the body, such as `sell` and `buy`. */
export function placesAt(...names: readonly string[]): (reply: Reply) => readonly Place[] {
  return (reply) => {
    const body = successObject(reply);
    if (body === undefined) return NOWHERE;
    return names.flatMap((name) => objectAt(body[name], `/${name}`));
  };
}

/** Returns the objects in an array of the body: of the property named, or the body itself. */
export function placesIn(name?: string): (reply: Reply) => readonly Place[] {
  return memoize((reply) =>
    name === undefined
      ? elementsOf(successBody(reply), '')
      : elementsOf(successObject(reply)?.[name], `/${name}`),
  );
}

/** Returns the tokens at both ends of every route. */
export const routeTokens: (reply: Reply) => readonly Place[] = memoize((reply) =>
  elementsOf(successObject(reply)?.['routes'], '/routes').flatMap(({ pointer, object }) => [
    ...elementsOf(object['fromTokens'], `${pointer}/fromTokens`),
    ...elementsOf(object['toTokens'], `${pointer}/toTokens`),
  ]),
);

/** Returns a value as an object at its place, or nowhere. */
export function objectAt(value: unknown, pointer: string): readonly Place[] {
  return isObject(value) ? [{ pointer, object: value }] : NOWHERE;
}

/** Returns whether a JSON value is an object, not an array or null. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns a function that reads each reply once, however many rules ask: a
 * reply meets dozens of rules, and its plan may have 100,000 routes.
 */
export function memoize<T>(read: (reply: Reply) => T): (reply: Reply) => T {
  const known = new WeakMap<Reply, { readonly value: T }>();
  return (reply) => {
    const found = known.get(reply);
    if (found !== undefined) return found.value;
    const value = read(reply);
    known.set(reply, { value });
    return value;
  };
}

const NOWHERE: readonly Place[] = [];

function elementsOf(value: unknown, pointer: string): readonly Place[] {
  if (!Array.isArray(value)) return NOWHERE;
  return value.flatMap((element, index) => objectAt(element, `${pointer}/${index}`));
}
