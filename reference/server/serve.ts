import cluster from 'node:cluster';
import type { Logger } from 'pino';
import type { FormName } from '../forms/forms.ts';
import { formsMiddleware } from '../forms/wear-forms.ts';
import { httpMaker, type MakerEndpoint } from '../makers/http-maker.ts';
import type { Maker } from '../makers/maker.ts';
import { testMakers } from '../makers/test-maker.ts';
import { loadEmbeddedMarkets } from '../market/embedded-markets.ts';
import type { Market } from '../market/market.ts';
import {
  type AdminAddress,
  shareMetrics,
  startAdminServer,
  workersMetrics,
} from './admin-server.ts';
import { createApp } from './app.ts';
import {
  CannotListenError,
  createHttpServer,
  type Listening,
  listen,
  urlOf,
} from './http-server.ts';
import { type KeyFile, KeyFileError, readKeyFile } from './key-ring.ts';
import type { Page } from './page.ts';
import { createProcessLog } from './process-log.ts';
import { CannotServeMarketError, type MarketSources, openMarkets } from './served-markets.ts';
import type { ServiceMetrics } from './service-metrics.ts';
import { warmUp } from './warm-up.ts';
import { superviseWorkers, untilAllClosed } from './workers.ts';

/** What `swapcheck serve` was asked for. */
export type ServeOptions = MarketSources & {
  readonly port: number;
  readonly host: string;
  readonly apiKeys: readonly string[];
  /** Keys in a file, which take their place; read anew on SIGHUP. */
  readonly apiKeyFile?: string;
  readonly workers: number;
  /** What every reply wears; none leaves them as they are. */
  readonly forms: readonly FormName[];
  /** Where operators ask how it is; unset, nowhere. */
  readonly admin?: AdminAddress;
  /** Market makers to ask; on their chains the test maker is not asked. */
  readonly makers: readonly MakerEndpoint[];
  /** Opens what stands at `/` for people; unset, nothing does. */
  readonly openPage?: (sources: MarketSources) => Promise<Page>;
};

/** How long idle connections stay open while a service drains. */
const DRAIN_IDLE_MS = 1_000;

/**
 * Serves in this process until SIGTERM or SIGINT, then drains. Resolves to the
 * exit code: 0, or 2 when it could not start.
 */
export async function serve(options: ServeOptions): Promise<number> {
  const { apiKeys, forms } = options;
  const stopped = untilStopped();
  const log = createProcessLog(1);
  const closing = new AbortController();
  const { signal } = closing;
  void stopped.then(() => closing.abort());
  const page = await options.openPage?.(options);
  try {
    const { markets = loadEmbeddedMarkets(), follow } = await openMarkets(options, signal);
    const middleware = forms.length === 0 ? [] : [formsMiddleware(forms)];
    const makers = makersOf(options.makers, markets);
    const metrics = await metricsFor(options);
    const shown = { ...(metrics && { metrics }), ...(page && { page }) };
    const served = { markets, follow, makers, middleware, ...shown };
    const keyRing = openKeyFile(options, log.logger, signal);
    const keys = keyRing === undefined ? { apiKeys } : { keyRing };
    const app = createApp({ ...keys, logger: log.logger, ...served });
    const server = createHttpServer(app.callback());
    const { url, drain } = await listen(server, options.port, options.host);
    const admin =
      cluster.isPrimary && options.admin && metrics
        ? await startAdminServer(options.admin, () => metrics.registry.metrics())
        : undefined;
    metrics?.setReady(true);
    const endWarmUp = warmUp(markets);
    if (cluster.isPrimary) announce(url, options, admin?.url);
    await stopped;
    metrics?.setReady(false);
    endWarmUp();
    await drain(DRAIN_IDLE_MS, cluster.isWorker ? untilAllClosed : undefined);
    await admin?.drain(0);
    return 0;
  } catch (error) {
    if (error instanceof CannotServeMarketError && signal.aborted) return 0;
    if (!STARTING_ERRORS.some((expected) => error instanceof expected)) throw error;
    process.stderr.write(`error: ${error instanceof Error ? error.message : error}\n`);
    return 2;
  } finally {
    closing.abort();
    await page?.close();
    log.end();
    cluster.worker?.disconnect();
  }
}

/** What keeps a service from starting, told in one line. */
const STARTING_ERRORS = [CannotListenError, CannotServeMarketError, KeyFileError];

/** Reads the keys, and anew on each SIGHUP until the service ends; a file that cannot be read then leaves them as they are. */
function openKeyFile(
  { apiKeyFile }: ServeOptions,
  logger: Logger,
  ended: AbortSignal,
): KeyFile | undefined {
  if (apiKeyFile === undefined) return undefined;
  const keys = readKeyFile(apiKeyFile);
  const reload = () => {
    try {
      keys.reload();
      logger.info('keys read anew');
    } catch (error) {
      if (!(error instanceof KeyFileError)) throw error;
      logger.error({ why: error.message }, 'keys kept as they are');
    }
  };
  process.on('SIGHUP', reload);
  ended.addEventListener('abort', () => process.off('SIGHUP', reload));
  return keys;
}

async function metricsFor({ admin }: ServeOptions): Promise<ServiceMetrics | undefined> {
  if (admin === undefined) return undefined;
  const { createServiceMetrics } = await import('./service-metrics.ts');
  const metrics = createServiceMetrics();
  await shareMetrics(metrics);
  return metrics;
}

/**
 * The makers that were named, by number, and the test maker on other chains.
 *
 * @throws {CannotServeMarketError} naming a chain where no maker could ever be asked
 */
function makersOf(
  endpoints: readonly MakerEndpoint[],
  markets: readonly Market[],
): readonly Maker[] {
  const named = endpoints.map((endpoint, index) => {
    const { chainId } = endpoint;
    const market = markets.find((each) => each.chainId === chainId);
    if (market?.makerOrders === undefined) {
      const why = market ? 'whose market names no `makerOrders`' : 'which is not served';
      throw new CannotServeMarketError(`--maker names chain ${chainId}, ${why}.`);
    }
    return httpMaker(endpoint, `maker ${index + 1}`);
  });
  const isNamed = new Set(endpoints.map(({ chainId }) => chainId));
  return [...named, ...testMakers().filter(({ chainId }) => !isNamed.has(chainId))];
}

/** Serves in several processes until SIGTERM or SIGINT; resolves to the exit code. */
export async function supervise(options: ServeOptions): Promise<number> {
  const { host, workers, admin } = options;
  const stopped = untilStopped();
  const asked = admin && (await startAdmin(admin));
  if (asked === 'refused') return 2;
  const { stop, signal, finished } = superviseWorkers({
    count: workers,
    onReady: (port) => announce(urlOf(host, port), options, asked?.url),
    onRestart: ({ pid, how }) =>
      process.stderr.write(`Worker ${pid} died (${how}); starting another.\n`),
  });
  void stopped.then(stop);
  // Each reads its keys anew.
  process.on('SIGHUP', signal);
  const exitCode = await finished;
  process.off('SIGHUP', signal);
  await asked?.drain(0);
  return exitCode;
}

async function startAdmin(address: AdminAddress): Promise<Listening | 'refused'> {
  try {
    return await startAdminServer(address, await workersMetrics());
  } catch (error) {
    if (!(error instanceof CannotListenError)) throw error;
    process.stderr.write(`error: ${error.message}\n`);
    return 'refused';
  }
}

function announce(url: string, { openPage }: ServeOptions, adminUrl: string | undefined): void {
  const subject = `The reference service${openPage ? ', with a page to try it,' : ''}`;
  process.stderr.write(`${subject} listens on ${url}\n`);
  if (adminUrl !== undefined) process.stderr.write(`Its health and figures are at ${adminUrl}\n`);
}

function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve());
    process.once('SIGINT', () => resolve());
  });
}
