import type { Reply } from '../client/exchange.ts';

/** Returns the parsed body of a reply with status 200, or undefined if the body is not JSON. */
export function successBody(reply: Reply): unknown {
  return reply.status === 200 && reply.document.kind === 'json' ? reply.document.value : undefined;
}

/** Returns the body of a reply with status 200, or undefined if the body is not a JSON object. */
export function successObject(reply: Reply): Readonly<Record<string, unknown>> | undefined {
  const value = successBody(reply);
  return isObject(value) ? value : undefined;
}

/** Returns whether a JSON value is an object, not an array or null. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
