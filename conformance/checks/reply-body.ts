import type { Reply } from '../client/exchange.ts';

/** Returns the body of a 200, or undefined where it is no JSON. */
export function successBody(reply: Reply): unknown {
  return reply.status === 200 && reply.document.kind === 'json' ? reply.document.value : undefined;
}

export function successObject(reply: Reply): Readonly<Record<string, unknown>> | undefined {
  const value = successBody(reply);
  return isObject(value) ? value : undefined;
}

/** Returns whether a JSON value is an object, not an array or null. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns a function that reads a reply once, however many rules ask one after
 * another: a reply meets dozens of rules, and its plan may have 100,000 routes.
 */
export function memoize<T>(read: (reply: Reply) => T): (reply: Reply) => T {
  const place = places++;
  return (reply) => {
    const readings = readingsOf(reply);
    const known = readings[place];
    if (known !== undefined) return (known === NOTHING ? undefined : known) as T;
    const value = read(reply);
    readings[place] = value === undefined ? NOTHING : value;
    return value;
  };
}

/** How many functions read replies: each has a place in what is read of one. */
let places = 0;
const NOTHING = Symbol('nothing');
/** The reply that was asked for last: the next rule is most likely to ask for the same. */
let latest: { readonly reply: Reply; readonly readings: unknown[] } | undefined;
/** A longer reply is not held on to once it was judged, and is too long to be read again. */
const LARGE_CHARACTERS = 100_000;
const readingsOfLarge = new WeakMap<Reply, unknown[]>();

function readingsOf(reply: Reply): unknown[] {
  if (latest?.reply === reply) return latest.readings;
  const isLarge = reply.text.length >= LARGE_CHARACTERS;
  const readings = (isLarge && readingsOfLarge.get(reply)) || new Array<unknown>(places);
  if (isLarge) readingsOfLarge.set(reply, readings);
  else latest = { reply, readings };
  return readings;
}
