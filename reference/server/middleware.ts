import { createHash } from 'node:crypto';
import cors from '@koa/cors';
import type { Middleware } from 'koa';
import { RequestError } from './errors.ts';
import type { ServedFile } from './options.ts';
import { KEY_PARAMETER, readParameters } from './parameters.ts';

/** State of a request whose query has been decoded. */
export type WithQuery = { query: URLSearchParams };

/**
 * Headers that forbid clients to store replies or guess their types. Prices move, and a URL may
 * contain a key.
 */
export const PRIVATE_HEADERS = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
} as const;

/** Sets `PRIVATE_HEADERS` on every reply. */
export const privateReplies: Middleware = (ctx, next) => {
  ctx.set(PRIVATE_HEADERS);
  return next();
};

/** Allows pages on any origin to read replies and to send custom headers. */
export const allowOtherOrigins: Middleware = cors({
  origin: '*',
  allowMethods: 'GET',
  allowHeaders: '*',
  exposeHeaders: 'Retry-After',
});

/**
 * Sends an Error body in reply to a failed request. Any error other than a `RequestError` is a failure of the service:
 * it is reported with its stack, and the reply is a 500 without details.
 * @see Specification 7
 */
export function handleErrors(report: (line: string) => void): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const isRejected = error instanceof RequestError;
      if (!isRejected) reportFailure(report, error);
      const { status, body, headers } = isRejected
        ? error
        : new RequestError('INTERNAL_ERROR', 'The service failed to respond.');
      ctx.status = status;
      ctx.set(headers);
      ctx.body = body;
    }
  };
}

/** Reports a failure with its stack. A client that disconnected is not a failure. */
export function reportFailure(report: (line: string) => void, error: unknown): void {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EPIPE' || code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE') return;
  report(error instanceof Error ? `${error.stack}` : String(error));
}

/** Rejects a request for a path that is neither an operation nor a file. */
export const notFound: Middleware = () => {
  const expected = '/api/v1.0/ followed by swap, tokens, chains or chainInfo';
  throw new RequestError('NOT_FOUND', `No operation has this path: expected ${expected}.`);
};

/** Rejects a request whose method is not one of `allowed`. */
export function allowMethods(...allowed: readonly string[]): Middleware {
  return (ctx, next) => {
    if (allowed.includes(ctx.method)) return next();
    throw new RequestError('METHOD_NOT_ALLOWED', `Expected method ${allowed.join(' or ')}.`, {
      details: { allowed },
      headers: { Allow: allowed.join(', ') },
    });
  };
}

/**
 * Rejects a request without exactly one Host header; HTTP/1.0 may omit the header. If a request has
 * several Host headers, Node uses the first, but a proxy in front of Node may use the last.
 * @see RFC 9112, section 3.2
 */
export const requireOneHost: Middleware = ({ req }, next) => {
  const hosts = req.rawHeaders.filter((name, at) => at % 2 === 0 && /^host$/i.test(name)).length;
  if (hosts === 1 || (hosts === 0 && req.httpVersionMinor === 0)) return next();
  throw new RequestError('MALFORMED_REQUEST', 'Expected exactly one Host header.');
};

/** Decodes the query, and rejects a request whose key is not one of `apiKeys` (5). */
export function requireKey(apiKeys: readonly string[]): Middleware<WithQuery> {
  // Because digests are compared, the time of a rejection reveals nothing about the valid keys.
  const digestOf = (key: string) => createHash('sha256').update(key).digest('base64');
  const digests = new Set(apiKeys.map(digestOf));
  return (ctx, next) => {
    const query = decodeQuery(ctx.querystring);
    if (!digests.has(digestOf(readParameters(KEY_PARAMETER, query).apiKey))) {
      const message = "Parameter 'apiKey' is not a key of this service.";
      throw new RequestError('UNKNOWN_API_KEY', message, { details: { parameter: 'apiKey' } });
    }
    ctx.state.query = query;
    return next();
  };
}

/**
 * Returns the decoded parameters of a query. `+` is a space, as in HTML forms, and empty segments (`&&`) are skipped.
 * @throws {RequestError} if the percent-encoding is malformed: `%ZZ`, or bytes that are not UTF-8
 * @example
 * decodeQuery('apiKey=a%20b').get('apiKey') // 'a b'
 */
function decodeQuery(text: string): URLSearchParams {
  try {
    decodeURIComponent(text);
  } catch {
    // The query is not quoted, since it may contain a key.
    const message = 'The query is malformed: expected percent-encoded UTF-8, such as %C3%A9.';
    throw new RequestError('MALFORMED_REQUEST', message);
  }
  return new URLSearchParams(text);
}

/** Limits a page to its own origin. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Sends a file that browsers store and revalidate. */
export function sendFile({ type, body }: ServedFile): Middleware {
  return (ctx) => {
    ctx.set({
      'Content-Type': type,
      'Content-Security-Policy': PAGE_POLICY,
      'Cache-Control': 'no-cache',
      'Referrer-Policy': 'no-referrer',
    });
    ctx.body = body;
  };
}
