import type { Reply } from '../client/exchange.ts';

/** Returns the parsed body of a 200, or undefined if it is not JSON. */
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
 * Returns a function that caches the reading of a reply for consecutive calls: dozens of rules read
 * the same reply, and its plan may have 100,000 routes.
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

/** Number of memoized functions; each has an index in the cached readings of a reply. */
let places = 0;
const NOTHING = Symbol('nothing');
/** The latest reply read: the next rule most likely reads the same one. */
let latest: { readonly reply: Reply; readonly readings: unknown[] } | undefined;
/**
 * Maximum size of a reply that stays cached after it was judged. Larger ones would hold memory, and
 * are rarely read again.
 */
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
