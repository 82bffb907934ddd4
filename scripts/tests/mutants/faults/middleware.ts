import type { Context, Middleware, Next } from 'koa';
import type { Change, Condition, Fault, Operation } from './mutant.ts';

const PREFIX = '/api/v1.0/';

/** Returns middleware that puts a fault into one service. */
export function middlewareOf(fault: Fault): Middleware {
  const { where, when = (broken) => broken } = fault;
  const broken = inTurn(stepsOf(fault).filter((step) => step !== undefined));
  return when(
    where === undefined
      ? broken
      : (ctx, next) => (where(queryOf(ctx), ctx) ? broken(ctx, next) : next()),
  );
}

/**
 * Returns middleware that caches replies to swaps. `coarsen` returns the cache key of a query, and
 * `isStored` selects the statuses to cache.
 */
export function cacheRepliesBy(
  coarsen: (query: URLSearchParams) => unknown,
  isStored: (status: number) => boolean = () => true,
): () => Middleware {
  return () => {
    const cached = new Map<string, Pick<Context, 'status' | 'type' | 'body'>>();
    return async (ctx, next) => {
      if (!isOperation(ctx, 'swap')) return next();
      const query = queryOf(ctx);
      coarsen(query);
      const reply = cached.get(`${query}`);
      if (reply === undefined) await next();
      else Object.assign(ctx, reply);
      const { status, type, body } = ctx;
      if (isStored(status)) cached.set(`${query}`, { status, type, body });
    };
  };
}

/**
 * Returns the middleware of a fault, outermost first. Changes to replies receive the original
 * parameters.
 */
function stepsOf(fault: Fault): readonly (Middleware | undefined)[] {
  const { of = 'swap', text, rejection, reject, instead, query } = fault;
  return [
    fault.middleware?.(),
    fault.plan && onReply('swap', 200, changed(fault.plan)),
    fault.tokens && onReply('tokens', 200, changed(fault.tokens)),
    fault.chains && onReply('chains', 200, changed(fault.chains)),
    fault.chainInfo && onReply('chainInfo', 200, changed(fault.chainInfo)),
    fault.error && onReply('any', 400, changed(fault.error)),
    text && onReply(of, 200, (ctx) => text(JSON.stringify(ctx.body), ctx)),
    rejection && onReply(of, 400, (ctx) => void Object.assign(ctx, rejection)),
    reject && replyIf(of, reject, (ctx) => replyError(ctx, 400, 'REJECTED')),
    instead && replyIf(of, () => true, instead),
    query && beforeRequest(of, query),
  ];
}

function onReply(
  operation: Operation | 'any',
  status: number,
  change: (ctx: Context, query: URLSearchParams) => unknown,
): Middleware {
  return async (ctx, next) => {
    const query = queryOf(ctx);
    const isAsked = operation === 'any' || isOperation(ctx, operation);
    await next();
    if (!isAsked || ctx.status !== status) return;
    const body = change(ctx, query);
    if (body !== undefined) ctx.body = body;
  };
}

function changed<Body>(change: Change<Body>) {
  return (ctx: Context, query: URLSearchParams) => {
    // Change a copy, because the service caches its bodies.
    const body = JSON.parse(JSON.stringify(ctx.body)) as Body;
    return change(body, query) || body;
  };
}

function replyIf(
  operation: Operation,
  isAffected: Condition,
  reply: (ctx: Context) => void,
): Middleware {
  return async (ctx, next) => {
    if (isOperation(ctx, operation) && isAffected(queryOf(ctx), ctx)) reply(ctx);
    else await next();
  };
}

function beforeRequest(operation: Operation, change: (query: URLSearchParams) => void): Middleware {
  return (ctx, next) => {
    const query = queryOf(ctx);
    const before = `${query}`;
    if (isOperation(ctx, operation)) change(query);
    if (`${query}` !== before) ctx.req.url = `${pathOf(ctx)}?${query}`;
    return next();
  };
}

function inTurn(steps: readonly Middleware[]): Middleware {
  return (ctx, next) => steps.reduceRight<Next>((rest, step) => () => step(ctx, rest), next)();
}

export function replyError(ctx: Context, status: number, error: string): void {
  ctx.status = status;
  ctx.body = { error, message: 'This service is broken in one way.' };
}

/** Returns whether a request is for the given operation. */
export function isOperation(ctx: Context, operation: Operation): boolean {
  return pathOf(ctx) === `${PREFIX}${operation}`;
}

export function queryOf(ctx: Context): URLSearchParams {
  return new URLSearchParams((ctx.req.url ?? '').split('?').slice(1).join('?'));
}

function pathOf(ctx: Context): string {
  return (ctx.req.url ?? '').split('?', 1)[0] ?? '';
}
