import type { Context, Middleware } from 'koa';
import { answerError, type Bodies, isOperation, pathOf, queryOf } from './alter-reply.ts';

/** Returns middleware that changes the parameters of each request to an operation before they are read. */
export function alterRequest(
  operation: keyof Bodies,
  change: (query: URLSearchParams) => void,
): Middleware {
  return async (ctx, next) => {
    if (isOperation(ctx, operation)) rewrite(ctx, change);
    await next();
  };
}

/**
 * Returns middleware that reads one parameter more leniently than its rule: the
 * text that `read` returns stands for what was given, `undefined` leaves it.
 */
export function readLeniently(
  operation: keyof Bodies,
  name: string,
  read: (text: string | undefined) => string | undefined,
): Middleware {
  return alterRequest(operation, (query) => {
    const text = read(query.get(name) ?? undefined);
    if (text !== undefined) query.set(name, text);
  });
}

/** Returns middleware that refuses, with a proper Error, requests that break no rule. */
export function refuseWhere(
  operation: keyof Bodies,
  isRefused: (query: URLSearchParams) => boolean,
  status = 400,
): Middleware {
  return async (ctx, next) => {
    if (isOperation(ctx, operation) && isRefused(queryOf(ctx))) {
      answerError(ctx, status, 'REFUSED');
    } else await next();
  };
}

function rewrite(ctx: Context, change: (query: URLSearchParams) => void): void {
  const query = queryOf(ctx);
  const before = query.toString();
  change(query);
  if (query.toString() !== before) ctx.req.url = `${pathOf(ctx)}?${query}`;
}
