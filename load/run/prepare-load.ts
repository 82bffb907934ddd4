import { type Client, createClient, NO_API_KEY } from '../../conformance/client/client.ts';
import type { Exchange } from '../../conformance/client/exchange.ts';
import { createHttpTransport } from '../../conformance/client/http-transport.ts';
import type { Redactor } from '../../conformance/client/redaction.ts';
import type { RequestTarget } from '../../conformance/client/request.ts';
import { inTheirNames } from '../../conformance/client/router-names.ts';
import { PATHS } from '../../conformance/contract/paths.ts';
import { discover } from '../../conformance/discovery/discover.ts';
import type { Facts, TradedPair } from '../../conformance/discovery/facts.ts';
import { readQuote } from '../../conformance/discovery/quote.ts';
import { printable } from '../../conformance/output/printable.ts';
import { buildMix } from '../mix/build-mix.ts';
import type { RequestMix } from '../mix/request-mix.ts';
import type { LoadResult } from '../model/load-result.ts';
import { resultWithoutRun } from '../result/build-result.ts';
import { log, type ServiceLoad } from './service-load.ts';

/** Results of discovery before a run. */
export type PreparedRun = {
  readonly kind: 'prepared';
  readonly facts: Facts;
  readonly mix: RequestMix;
  readonly leftOut: string[];
  readonly service: NonNullable<LoadResult['service']>;
  /** Removes secrets from text that is shown. */
  readonly redactor: Redactor;
};

/** The result of a run that cannot start. */
type NotRun = { readonly kind: 'not-run'; readonly result: LoadResult };

/** Discovers a service and builds its mix, with at most a few hundred requests. */
export async function prepareLoad(load: ServiceLoad): Promise<PreparedRun | NotRun> {
  const { baseUrl, apiKey, reach = {}, routerNames, signal, profile, seed, deps } = load;
  const about = { target: baseUrl.href, profile, seed, version: deps.version };
  const startedAt = new Date().toISOString();
  log('Discovering the service');
  const progress = reportProgress();
  const transport = createHttpTransport(baseUrl, {
    ...reach,
    timeoutMs: profile.timeoutMs,
    connections: CONCURRENCY,
  });
  const client = createClient({ transport, reach, apiKey, routerNames, chains: load.chains });
  try {
    if (apiKey === '') throw new NotLoadableError(NO_API_KEY);
    const get: Get = async (target) => {
      const exchange = await client.send(target, signal, (each) => each);
      progress.count();
      return exchange;
    };
    const prepared = await prepare(load, get, client);
    if (reach.insecure) prepared.leftOut.push(INSECURE);
    if (signal.aborted) throw new NotLoadableError('the run was ended before it began');
    return prepared;
  } catch (error) {
    if (!(error instanceof NotLoadableError)) throw error;
    const reason = signal.aborted ? 'the run was ended before it began' : error.message;
    return { kind: 'not-run', result: resultWithoutRun({ ...about, startedAt, reason }) };
  } finally {
    progress.end();
    await client.close();
  }
}

/** Milliseconds between progress messages of discovery, which may take minutes. */
const PROGRESS_INTERVAL_MS = 5_000;

/** Reports every few seconds how many replies have arrived. */
function reportProgress() {
  let replies = 0;
  const timer = setInterval(() => log(`  ${replies} replies so far`), PROGRESS_INTERVAL_MS);
  return {
    count: () => {
      replies += 1;
    },
    end: () => clearInterval(timer),
  };
}

type Get = (target: RequestTarget) => Promise<Exchange>;

async function prepare(
  { baseUrl, chains, kind, profile, seed, routerNames = {} }: ServiceLoad,
  get: Get,
  { redactor, chainIds }: Client,
): Promise<PreparedRun> {
  const lookup = { path: PATHS.chains, query: [] };
  const { outcome } = await get(lookup);
  const shown = (text: string) => printable(redactor.redactText(text), 200);
  const cannot = `cannot load ${redactor.redactSentence(baseUrl.href)}`;
  if (outcome.kind === 'no-reply') throw new NotLoadableError(`${cannot}: ${outcome.message}`);
  if (outcome.status !== 200) {
    const [location] = outcome.headers['location'] ?? [];
    const redirect = location === undefined ? '' : `, a redirect to ${shown(location)}`;
    const message = outcome.text === '' ? '' : `: ${shown(outcome.text)}`;
    const answer = `${outcome.status}${redirect}${message}`;
    throw new NotLoadableError(`${cannot}: it replied to /chains with ${answer}`);
  }
  const idleMs: number[] = [];
  for (let i = 0; i < IDLE_LOOKUPS; i++) idleMs.push((await get(lookup)).durationMs);
  const facts = await discover({ get, chains: chains.map(Number) });
  const served = facts.chains.map(({ chainId }) => chainId);
  const unserved = chains.find((id) => served.length > 0 && !served.includes(Number(id)));
  if (unserved !== undefined) {
    throw new NotLoadableError(
      `the service does not serve chain ${unserved}: it serves ${served.join(', ')}`,
    );
  }
  const { mix, leftOut } = await buildMix(profile.mix, facts, seed, (chainId, pair, sellAmount) =>
    fetchBuyAmount(get, chainId, pair, sellAmount),
  );
  const wantsSwaps = profile.mix.some(({ request }) => request === 'swap');
  if (wantsSwaps && !mix.kinds.some(({ endpoint }) => /^swap\b/.test(endpoint))) {
    throw new NotLoadableError(`${cannot}: it found no plan for any pair in the mix`);
  }
  const [software] = outcome.headers['server'] ?? [];
  const service = {
    kind,
    idleMs: idleMs.sort((a, b) => a - b)[Math.floor(IDLE_LOOKUPS / 2)] ?? 0,
    ...(software !== undefined && { software: redactor.redactText(software) }),
  };
  const named = asRequested(mix, (query) => chainIds.write(inTheirNames(query, routerNames)));
  return { kind: 'prepared', facts, mix: named, leftOut, redactor, service };
}

/** Returns the mix with router names and chain IDs as the service writes them. */
function asRequested(mix: RequestMix, write: (query: string) => string): RequestMix {
  const kinds = mix.kinds.map((kind) => ({
    ...kind,
    templates: kind.templates.map((template) =>
      'target' in template
        ? { target: write(template.target) }
        : { ...template, after: write(template.after) },
    ),
  }));
  return { ...mix, kinds };
}

async function fetchBuyAmount(
  get: Get,
  chainId: number,
  { sell, buy }: TradedPair,
  sellAmount: bigint,
): Promise<bigint | undefined> {
  const query = Object.entries({
    chainId: String(chainId),
    sellToken: sell.address,
    buyToken: buy.address,
    sellAmount: String(sellAmount),
  });
  return readQuote(await get({ path: PATHS.swap, query }))?.buyAmount;
}

const INSECURE = "verification of the service's certificate (--insecure)";
const IDLE_LOOKUPS = 9;
/** Concurrent requests of discovery, as in `test`: a remote service takes long for each. */
const CONCURRENCY = 8;

/** A service that cannot be load-tested, and why. */
class NotLoadableError extends Error {
  override readonly name = 'NotLoadableError';
}
