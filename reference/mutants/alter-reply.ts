import type { Context, Middleware } from 'koa';
import type {
  Chain,
  ChainInfo,
  ErrorBody,
  SwapResponse,
  TokenInfo,
} from '../../conformance/contract/resources.ts';

/** A JSON object on its way out. */
export type JsonObject = { [name: string]: unknown };

/** What a 200 of each operation carries. */
export type Bodies = {
  readonly swap: SwapResponse;
  readonly tokens: TokenInfo[];
  readonly chains: Chain[];
  readonly chainInfo: ChainInfo;
};

/** Changes a body in place, or returns what stands for it; `query` is what was asked. */
export type Change<Body> = (body: Body, query: URLSearchParams) => unknown;

const PREFIX = '/api/v1.0/';

/** Returns middleware that changes each 200 of an operation. */
export function alterBody<Operation extends keyof Bodies>(
  operation: Operation,
  change: Change<Bodies[Operation]>,
): Middleware {
  return async (ctx, next) => {
    const query = queryOf(ctx);
    const isAsked = isOperation(ctx, operation);
    await next();
    if (!isAsked || ctx.status !== 200) return;
    const body = JSON.parse(String(ctx.body)) as Bodies[Operation];
    ctx.body = JSON.stringify(change(body, query) ?? body);
  };
}

/** Returns middleware that changes the Error of each 400, of one operation or of all. */
export function alterError(
  change: (error: ErrorBody, ctx: Context) => unknown,
  operation?: keyof Bodies,
): Middleware {
  return async (ctx, next) => {
    const isAsked = operation === undefined || isOperation(ctx, operation);
    await next();
    if (!isAsked || ctx.status !== 400) return;
    const error = JSON.parse(String(ctx.body)) as ErrorBody;
    ctx.body = JSON.stringify(change(error, ctx) ?? error);
  };
}

/** Returns middleware that changes the text of each 200 of an operation. */
export function alterText(
  operation: keyof Bodies,
  change: (text: string, ctx: Context) => string | Buffer,
): Middleware {
  return async (ctx, next) => {
    const isAsked = isOperation(ctx, operation);
    await next();
    if (isAsked && ctx.status === 200) ctx.body = change(String(ctx.body), ctx);
  };
}

/** Answers with an Error instead of what was asked; a `Content-Type` that was set stays. */
export function answerError(ctx: Context, status: number, error: string): void {
  ctx.set('Content-Type', 'application/json; charset=utf-8');
  ctx.status = status;
  ctx.body = JSON.stringify({ error, message: 'This service is broken in one way.' });
}

/** Returns whether a request is for an operation. */
export function isOperation(ctx: Context, operation: keyof Bodies): boolean {
  return pathOf(ctx) === `${PREFIX}${operation}`;
}

/** Returns the parameters of a request. */
export function queryOf(ctx: Context): URLSearchParams {
  return new URLSearchParams((ctx.req.url ?? '').split('?').slice(1).join('?'));
}

/** Returns the path of a request. */
export function pathOf(ctx: Context): string {
  return (ctx.req.url ?? '').split('?', 1)[0] ?? '';
}
