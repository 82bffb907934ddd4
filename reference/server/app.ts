import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import Router from '@koa/router';
import Koa, { type Middleware } from 'koa';
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
import { createOperations } from './operations.ts';
import { DEMO_API_KEY, type ReferenceOptions, type ServedFile } from './options.ts';
import { PARAMETERS, type ParameterTable, readParameters, type Values } from './parameters.ts';

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
