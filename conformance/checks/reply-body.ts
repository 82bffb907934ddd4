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
