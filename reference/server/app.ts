import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import Router from '@koa/router';
import Koa, { type Middleware } from 'koa';
import PQueue from 'p-queue';
import type { Chain } from '../../conformance/contract/resources.ts';
import { ENCODERS } from '../encoding/encoders.ts';
import { testMakers } from '../makers/test-maker.ts';
import { loadEmbeddedMarkets } from '../market/embedded-markets.ts';
import type { Market } from '../market/market.ts';
import { createPlanner } from '../planner/planner.ts';
import { RequestError } from './errors.ts';
import { createHttpServer, listen, type RunningServer } from './http-server.ts';
import {
  allowMethods,
  allowOtherOrigins,
  handleErrors,
  notFound,
  privateReplies,
  reportFailure,
  requireKey,
  requireOneHost,
  sendFile,
  type WithQuery,
} from './middleware.ts';
import { DEMO_API_KEY, type ReferenceOptions, type ServedFile } from './options.ts';
import { PARAMETERS, type ParameterTable, readParameters, type Values } from './parameters.ts';
import { type ServedChain, serveChain } from './served-chain.ts';
import { MAX_RUNNING, type SwapService, swap } from './swap.ts';
import { resolveTrade, type SwapParameters } from './trade.ts';

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

/** Returns the operations, each of which uses the latest state of the markets. */
function createOperations(options: ReferenceOptions, report: (line: string) => void) {
  const { markets = loadEmbeddedMarkets(), encoders = ENCODERS, planCacheSize = 4096 } = options;
  const prepare = (market: Market) => serveChain(market, encoders, planCacheSize);
  const chains = new Map(markets.map((market) => [market.chainId, prepare(market)]));
  options.follow?.((change) => {
    const { chainId } = change;
    const served = chains.get(chainId);
    if (change.kind === 'moved') {
      chains.set(chainId, prepare(change.market));
      if (served?.isLost)
        report(`chain ${chainId}: quoted again, at block ${change.market.block.number}`);
    } else if (served) {
      chains.set(chainId, { ...served, isLost: true });
      report(`chain ${chainId}: not quoted, ${change.why}`);
    }
  });
  const chainOf = (chainId: number): ServedChain => {
    const chain = chains.get(chainId);
    if (chain) return chain;
    const message = `Parameter 'chainId' is '${chainId}': expected a chain of /chains.`;
    const details = { parameter: 'chainId', value: `${chainId}` };
    throw new RequestError('UNKNOWN_CHAIN', message, { details });
  };
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

/** Served without a key. The type is not `application/json`, so that forms do not change the document. */
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
