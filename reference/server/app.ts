import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import cors from '@koa/cors';
import Router from '@koa/router';
import Koa, { type Middleware } from 'koa';
import PQueue from 'p-queue';
import type { Chain } from '../../conformance/contract/resources.ts';
import type { RouterEncoders } from '../encoding/encoders.ts';
import type { Maker } from '../makers/maker.ts';
import { testMakers } from '../makers/test-maker.ts';
import { loadEmbeddedMarkets } from '../market/embedded-markets.ts';
import type { Market, MarketChange } from '../market/market.ts';
import { createPlanner } from '../planner/planner.ts';
import { RequestError } from './errors.ts';
import { createHttpServer, listen, PRIVATE_HEADERS, type RunningServer } from './http-server.ts';
import {
  DEMO_API_KEY,
  decodeQuery,
  KEY_PARAMETER,
  PARAMETERS,
  type ParameterTable,
  readParameters,
  type Values,
} from './parameters.ts';
import { serveChains } from './served-chain.ts';
import { MAX_RUNNING, type PlanTrade, type SwapService, swap } from './swap.ts';
import { resolveTrade, type SwapParameters } from './trade.ts';

/** A file that is served in addition to the operations. */
export type ServedFile = { readonly type: string; readonly body: string | Buffer };

/** Options of the reference. All are optional. */
export type ReferenceOptions = {
  /** Chains to serve. Default: the embedded markets. */
  readonly markets?: readonly Market[];
  /** Called once, with a listener for changes to the markets. Default: the markets never change. */
  readonly follow?: (onChange: (change: MarketChange) => void) => void;
  /** Accepted keys. Default: `['demo']`. */
  readonly apiKeys?: readonly string[];
  /** Receives one line for each failure and lost market. Default: lines are discarded. */
  readonly report?: (line: string) => void;
  /** Returns milliseconds since 1970. Default: `Date.now`. */
  readonly clock?: () => number;
  /** Default: {@link createPlanner}, which plans in this thread. */
  readonly planner?: PlanTrade;
  /** Default: `ENCODERS`. */
  readonly encoders?: RouterEncoders;
  /** Maximum number of cached plans per chain; 0 for none. Default: 4096. */
  readonly planCacheSize?: number;
  /**
   * Makers to ask for orders if `useRfq` is true. Default: the test maker of the fixture chains.
   */
  readonly makers?: readonly Maker[];
  /**
   * Maximum number of trades that wait to be planned. Further trades are rejected. Default: 1024.
   */
  readonly maxQueued?: number;
  /** Files keyed by path, such as a page at `/`. Default: none. */
  readonly files?: ReadonlyMap<string, ServedFile>;
  /**
   * Koa middleware around every operation, outermost first. In this middleware, `ctx.body` is a
   * value, not yet JSON text.
   */
  readonly middleware?: readonly Middleware[];
};

/** Default of {@link ReferenceOptions.maxQueued}. */
export const MAX_QUEUED = 1024;

/**
 * Returns the reference service as a Koa application. Call its `listen`, or pass its `callback()`
 * to supertest or another server. By default, the service serves the embedded markets and accepts
 * the key `demo`.
 * @example await request(createApp().callback()).get('/api/v1.0/chains?apiKey=demo')
 */
export function createApp(options: ReferenceOptions = {}): Koa {
  const { apiKeys = [DEMO_API_KEY], middleware = [], files = [], report = () => {} } = options;
  const operations = createOperations(options, report);
  const router = new Router<WithQuery>({ sensitive: true, strict: true });
  const checks = [allowMethods('GET'), requireOneHost, requireKey(apiKeys)] as const;
  const get = <Table extends ParameterTable>(
    name: string,
    table: Table,
    run: (values: Values<Table>, gone: AbortSignal) => unknown,
  ) =>
    router.all(`/api/v1.0/${name}`, ...checks, async (ctx) => {
      const { query } = ctx.state;
      const gone = new AbortController();
      if (ctx.res.destroyed) gone.abort();
      ctx.res.once('close', () => gone.abort());
      ctx.body = await run(readParameters(table, query), gone.signal);
    });
  get('swap', PARAMETERS.swap, operations.swap);
  get('tokens', PARAMETERS.tokens, operations.tokens);
  get('chains', PARAMETERS.chains, operations.chains);
  get('chainInfo', PARAMETERS.chainInfo, operations.chainInfo);
  for (const [path, file] of new Map([...files, ['/openapi.json', openApiFile()]])) {
    router.all(path, allowMethods('GET', 'HEAD'), sendFile(file));
  }
  const app = new Koa();
  app.on('error', (error: Error) => reportFailure(report, error));
  const outermost: readonly Middleware[] = [privateReplies, allowOtherOrigins, ...middleware];
  for (const each of outermost) app.use(each);
  app.use(handleErrors(report)).use(router.routes()).use(notFound);
  return app;
}

/** Returns the operations. They use the latest state of each market. */
function createOperations(options: ReferenceOptions, report: (line: string) => void) {
  const { markets = loadEmbeddedMarkets() } = options;
  const chainOf = serveChains(markets, report, options);
  const service: SwapService = {
    planner: options.planner ?? createPlanner(),
    queue: new PQueue({ concurrency: MAX_RUNNING }),
    maxQueued: options.maxQueued ?? MAX_QUEUED,
    clock: options.clock ?? Date.now,
    makers: options.makers ?? testMakers(),
    quoting: new Map(),
  };
  type ChainValues = Values<typeof PARAMETERS.tokens>;
  return {
    chains: (): Chain[] => markets.map(({ chainId, name }) => ({ chainId, name })),
    tokens: ({ chainId }: ChainValues) => chainOf(chainId).tokens,
    chainInfo: ({ chainId }: ChainValues) => chainOf(chainId).info,
    swap: (values: SwapParameters, gone: AbortSignal) =>
      swap(service, resolveTrade(values, chainOf), gone),
  };
}

/**
 * Returns the description of the service, which needs no key. Its type is not `application/json`,
 * so that forms of replies leave it unchanged.
 */
function openApiFile(): ServedFile {
  const path = createRequire(import.meta.url).resolve('#docs/openapi.json');
  return { type: 'application/openapi+json; charset=utf-8', body: readFileSync(path) };
}

/** A running reference service. */
export type RunningReference = Pick<RunningServer, 'url'> & {
  /** Finishes the requests in progress, then frees the port. */
  readonly close: () => Promise<void>;
};

type StartOptions = ReferenceOptions & {
  /** Default: 0, which selects a free port. */
  readonly port?: number;
  /** Default: `127.0.0.1`. */
  readonly host?: string;
};

/**
 * Starts the reference service in this process. Clients in the same process tend to send requests
 * in bursts, so by default up to 4096 trades may wait to be planned.
 *
 * @throws {CannotListenError} if the port is in use
 */
export async function startReference({
  port = 0,
  host = '127.0.0.1',
  ...options
}: StartOptions = {}): Promise<RunningReference> {
  const app = createApp({ maxQueued: 4096, ...options });
  const { url, drain } = await listen(createHttpServer(app.callback()), port, host);
  // Clients in this process need no grace period for their idle connections.
  return { url, close: () => drain(0) };
}

/** State of a request whose query has been decoded. */
type WithQuery = { query: URLSearchParams };

/** Sets `PRIVATE_HEADERS` on every reply. */
const privateReplies: Middleware = (ctx, next) => {
  ctx.set(PRIVATE_HEADERS);
  return next();
};

/** Allows pages on any origin to read replies and to send custom headers. */
const allowOtherOrigins: Middleware = cors({
  origin: '*',
  allowMethods: 'GET',
  allowHeaders: '*',
  exposeHeaders: 'Retry-After',
});

/**
 * Sends an Error body in reply to a failed request. Any error other than a `RequestError` is a
 * failure of the service: it is reported with its stack, and the reply is a 500 without details.
 * @see Specification 7
 */
function handleErrors(report: (line: string) => void): Middleware {
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
function reportFailure(report: (line: string) => void, error: unknown): void {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EPIPE' || code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE') return;
  report(error instanceof Error ? `${error.stack}` : String(error));
}

/** Rejects a request for a path that is neither an operation nor a file. */
const notFound: Middleware = () => {
  const expected = '/api/v1.0/ followed by swap, tokens, chains or chainInfo';
  throw new RequestError('NOT_FOUND', `No operation has this path: expected ${expected}.`);
};

/** Rejects a request whose method is not one of `allowed`. */
function allowMethods(...allowed: readonly string[]): Middleware {
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
const requireOneHost: Middleware = ({ req }, next) => {
  const hosts = req.rawHeaders.filter((name, at) => at % 2 === 0 && /^host$/i.test(name)).length;
  if (hosts === 1 || (hosts === 0 && req.httpVersionMinor === 0)) return next();
  throw new RequestError('MALFORMED_REQUEST', 'Expected exactly one Host header.');
};

/** Decodes the query, and rejects a request whose key is not one of `apiKeys` (5). */
function requireKey(apiKeys: readonly string[]): Middleware<WithQuery> {
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

/** Limits a page to its own origin. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Sends a file that browsers store and revalidate. */
function sendFile({ type, body }: ServedFile): Middleware {
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
