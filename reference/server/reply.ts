import type { Context } from 'koa';
import { API_PREFIX } from '../../conformance/contract/paths.ts';
import { type ErrorCode, errorBody, OK, type Refusal, refuse, statusOf } from './errors.ts';
import type { Query } from './query.ts';

/** A reply before it is sent; `code` is set on refusals. */
export type Reply = {
  readonly status: number;
  readonly body: Buffer | string;
  readonly code?: ErrorCode;
  readonly retryAfterS?: number;
};

/** What is left in `ctx.state` of a request, for the log. */
export type RequestState = {
  /** Path of the operation; unset where the path is none. */
  operation?: string;
  /** Unset where the query could not be read. */
  noted?: { readonly query: Query; readonly secrets: readonly string[] };
  /** The `error` value of a refusal. */
  code?: ErrorCode;
};

/** Returns the reply that carries a body as asked. */
export function replyBody(body: Buffer | string): Reply {
  return { status: OK, body };
}

/** Returns the reply that a refusal makes. */
export function replyRefusal(refusal: Refusal): Reply {
  const { code, retryAfterS } = refusal;
  const body = errorBody(refusal);
  return {
    status: statusOf(refusal),
    body,
    code,
    ...(retryAfterS !== undefined && { retryAfterS }),
  };
}

/** Headers of every reply: JSON that nobody keeps, since prices move and a key may be in the URL, nor guesses the type of. */
export const JSON_HEADERS = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
};

const JSON_HEADER_LIST = Object.entries(JSON_HEADERS);

/** Sends a reply as JSON; the code of a refusal is left in `ctx.state` for the log. */
export function send(ctx: Context, { status, body, code, retryAfterS }: Reply): void {
  for (const [name, value] of JSON_HEADER_LIST) ctx.res.setHeader(name, value);
  if (status !== OK) ctx.status = status; // a body alone means 200
  if (code) (ctx.state as RequestState).code = code;
  if (retryAfterS !== undefined) ctx.set('Retry-After', String(retryAfterS));
  ctx.body = body;
}

/** For a path that is no operation. */
export const NOT_FOUND = replyRefusal(
  refuse(
    'NOT_FOUND',
    `No operation has this path: expected ${API_PREFIX}/ and one of swap, tokens, chains, chainInfo.`,
  ),
);

/** For any method but GET. */
export const METHOD_NOT_ALLOWED = replyRefusal(
  refuse('METHOD_NOT_ALLOWED', 'Every operation is asked by GET.', { allowed: ['GET'] }),
);

/** For a query that cannot be decoded; it is not quoted, since a key may be in it. */
export const MALFORMED_QUERY = replyRefusal(
  refuse(
    'MALFORMED_REQUEST',
    'The query is malformed: expected percent-encoded UTF-8, such as %C3%A9.',
  ),
);

/** For bytes that are no HTTP request, or one beyond the server's bounds. */
export const MALFORMED_REQUEST = replyRefusal(
  refuse('MALFORMED_REQUEST', 'The request is not well-formed HTTP/1.1, or too long.'),
);

/** For a failure of ours, of which nothing is told but that it happened. */
export const INTERNAL_ERROR = replyRefusal(
  refuse('INTERNAL_ERROR', 'The service failed to answer; the failure is in its log.'),
);
