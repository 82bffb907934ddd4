import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import Koa, { type Context, type Middleware } from 'koa';
import { RequestError } from './errors.ts';
import { HEADERS } from './http-server.ts';
import { createOperations, type Operations } from './operations.ts';
import { DEMO_API_KEY, type ReferenceOptions, type ServedFile } from './options.ts';
import { KEY_PARAMETER, type Operation, PARAMETERS, readParameters } from './parameters.ts';
import { parseQuery, pathOf } from './query.ts';

/** Paths of the four operations (4). */
const PATHS: ReadonlyMap<string, Operation> = new Map([
  ['/api/v1.0/swap', 'swap'],
  ['/api/v1.0/tokens', 'tokens'],
  ['/api/v1.0/chains', 'chains'],
  ['/api/v1.0/chainInfo', 'chainInfo'],
]);

/**
 * Returns the reference service as a Koa application, for `listen` or, by its `callback()`, for
 * supertest and embedding. By default it serves the embedded markets to the key `demo`.
 *
 * A request passes the error handler, the middleware of the options, and `respond`, which calls
 * the function of its operation.
 *
 * @example
 *
 * await request(createApp().callback()).get('/api/v1.0/chains?apiKey=demo')
 */
export function createApp(options: ReferenceOptions = {}): Koa {
  const report = options.report ?? (() => {});
  const app = new Koa();
  app.on('error', (error: unknown) => reportFailure(report, error));
  app.use(handleFailures(report));
  for (const middleware of options.middleware ?? []) app.use(middleware);
  app.use(respond(createOperations(options, report), options));
  return app;
}

/** Sets the headers of every reply, and turns a failure of the service into a 500 without details. */
function handleFailures(report: (line: string) => void): Middleware {
  return async (ctx, next) => {
    ctx.set(HEADERS);
    if (ctx.method === 'OPTIONS' && ctx.get('Access-Control-Request-Method')) return preflight(ctx);
    try {
      await next();
    } catch (error) {
      reportFailure(report, error);
      sendError(ctx, new RequestError('INTERNAL_ERROR', 'The service failed to respond.'));
    }
  };
}

/** Allows pages of other origins to send requests with custom headers. */
function preflight(ctx: Context): void {
  ctx.set({ 'Access-Control-Allow-Methods': 'GET', 'Access-Control-Allow-Headers': '*' });
  ctx.status = 204;
}

function sendError(ctx: Context, { status, body, retryAfterS }: RequestError): void {
  ctx.status = status;
  if (retryAfterS !== undefined) ctx.set('Retry-After', `${retryAfterS}`);
  ctx.body = JSON.stringify(body);
}

/** Reports a failure with its stack. A client that disconnected is not a failure. */
function reportFailure(report: (line: string) => void, error: unknown): void {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EPIPE' || code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE') return;
  report(error instanceof Error ? `${error.stack}` : String(error));
}

/** Returns the middleware that responds to operations and files. An error of a request is its reply. */
function respond(
  operations: Operations,
  { apiKeys = [DEMO_API_KEY], files }: ReferenceOptions,
): Middleware {
  const isKey = keyCheck(apiKeys);
  const served = new Map([...(files ?? []), [OPENAPI.path, OPENAPI.file]]);

  const respondTo = (ctx: Context, operation: Operation) => {
    requireMethod(ctx, 'GET');
    requireOneHost(ctx);
    const query = parseQuery(ctx.req.url ?? '/');
    if (!query) {
      // The query is not quoted, since it may contain a key.
      const message = 'The query is malformed: expected percent-encoded UTF-8, such as %C3%A9.';
      throw new RequestError('MALFORMED_REQUEST', message);
    }
    const secrets = [...apiKeys, ...query.getAll('apiKey')];
    if (!isKey(readParameters(KEY_PARAMETER, query, secrets).apiKey)) {
      const message = "Parameter 'apiKey' is not a key of this service.";
      throw new RequestError('UNKNOWN_API_KEY', message, { details: { parameter: 'apiKey' } });
    }
    const values = readParameters(PARAMETERS[operation], query, secrets);
    return operations[operation](values as never, () => ctx.res.destroyed);
  };

  return async (ctx) => {
    try {
      const path = pathOf(ctx.req.url ?? '/');
      const operation = PATHS.get(path);
      const file = served.get(path);
      if (operation) ctx.body = JSON.stringify(await respondTo(ctx, operation));
      else if (file) sendFile(ctx, file);
      else {
        const expected = '/api/v1.0/ and one of swap, tokens, chains, chainInfo';
        throw new RequestError('NOT_FOUND', `No operation has this path: expected ${expected}.`);
      }
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      sendError(ctx, error);
    }
  };
}

/** Compares digests as a set, so that the time for a wrong key does not depend on the valid keys. */
function keyCheck(apiKeys: readonly string[]): (key: string) => boolean {
  const digestOf = (key: string) => createHash('sha256').update(key).digest('base64');
  const digests = new Set(apiKeys.map(digestOf));
  return (key) => digests.has(digestOf(key));
}

function requireMethod(ctx: Context, ...allowed: readonly string[]): void {
  if (allowed.includes(ctx.method)) return;
  ctx.set('Allow', allowed.join(', '));
  const message = `Expected method ${allowed.join(' or ')}.`;
  throw new RequestError('METHOD_NOT_ALLOWED', message, { details: { allowed } });
}

/**
 * Rejects a request that does not have exactly one Host header; HTTP/1.0 may omit it. Of several,
 * Node uses the first, a proxy in front of it perhaps the last.
 *
 * @see RFC 9112, section 3.2
 */
function requireOneHost({ req }: Context): void {
  const hosts = req.rawHeaders.filter((name, at) => at % 2 === 0 && /^host$/i.test(name)).length;
  if (hosts === 1 || (hosts === 0 && req.httpVersionMinor === 0)) return;
  throw new RequestError('MALFORMED_REQUEST', 'Expected exactly one Host header.');
}

function sendFile(ctx: Context, { type, body }: ServedFile): void {
  requireMethod(ctx, 'GET', 'HEAD');
  ctx.set({
    'Content-Type': type,
    'Content-Security-Policy': PAGE_POLICY,
    'Cache-Control': 'no-cache',
    'Referrer-Policy': 'no-referrer',
  });
  ctx.body = body;
}

/** Content security policy that limits a page to its own origin. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * The OpenAPI document of the interface, served without a key. Its type is not
 * `application/json`, so that forms do not change it.
 */
const OPENAPI = {
  path: '/openapi.json',
  file: {
    type: 'application/openapi+json; charset=utf-8',
    get body() {
      return readFileSync(createRequire(import.meta.url).resolve('#docs/openapi.json'));
    },
  },
};
