import { NO_API_KEY } from '../../conformance/client/api-key.ts';
import type { Exchange } from '../../conformance/client/exchange.ts';
import { secretsOf } from '../../conformance/client/reach.ts';
import { createRedactor, type Redactor } from '../../conformance/client/redaction.ts';
import { toServiceNames } from '../../conformance/client/router-names.ts';
import { RunStopped } from '../../conformance/client/scheduler.ts';
import { counted } from '../../conformance/contract/counted.ts';
import { PATHS } from '../../conformance/contract/paths.ts';
import { describeUnexplored, discover } from '../../conformance/discovery/discover.ts';
import type { Facts, TradedPair } from '../../conformance/discovery/facts.ts';
import {
  type OpenService,
  openService,
  UnusableService,
} from '../../conformance/discovery/open-service.ts';
import { readQuote } from '../../conformance/discovery/quote.ts';
import { medianOf } from '../../conformance/model/statistics.ts';
import { TimeSpentError } from '../../conformance/output/interruptible.ts';
import { notify } from '../../conformance/output/terminal.ts';
import { buildMix } from '../mix/build-mix.ts';
import type { RequestMix } from '../mix/request-mix.ts';
import type { LoadResult } from '../model/load-result.ts';
import { kindName, type MixEntry, type Profile } from '../model/profile.ts';
import { resultWithoutRun } from '../result/build-result.ts';
import { confirmAbsent, isConclusive } from './confirm-absent.ts';
import type { ServiceLoad } from './service-load.ts';

/** Results of discovery before a run. */
export type PreparedRun = {
  readonly kind: 'prepared';
  readonly facts: Facts;
  readonly mix: RequestMix;
  /** Kinds of the mix that this service does not offer, and other omitted parts. */
  readonly omitted: readonly string[];
  readonly service: NonNullable<LoadResult['service']>;
  /** Removes secrets from displayed text. */
  readonly redactor: Redactor;
};

type NotRun = { readonly kind: 'not-run'; readonly result: LoadResult };

/**
 * Discovers a service and builds its mix. Sends at most a few hundred requests, which wait while
 * the service limits their rate.
 */
export async function prepareLoad(load: ServiceLoad): Promise<PreparedRun | NotRun> {
  const { signal, profile, seed, apiKey, reach = {}, obstacle } = load;
  const startedAt = new Date().toISOString();
  const redactor = createRedactor(apiKey, ...secretsOf(reach));
  const target = redactor.redactSentence(load.baseUrl.href);
  const notRun = (verdict: 'invalid' | 'incomplete', reason: string): NotRun => ({
    kind: 'not-run',
    result: resultWithoutRun({ target, profile, seed, startedAt, verdict, reason }),
  });
  const cannot = (why: string) => `cannot load-test ${target}: ${why}`;
  if (obstacle !== undefined) return notRun('incomplete', redactor.redactText(obstacle));
  if (apiKey === '') return notRun('incomplete', NO_API_KEY);
  notify('Discovering the service');
  const progress = reportProgress();
  try {
    const prepared = await prepare(load, progress);
    if (signal.aborted) return notRun('incomplete', endedBy(signal));
    return prepared;
  } catch (error) {
    if (signal.aborted) return notRun('incomplete', endedBy(signal));
    if (error instanceof UnusableService) return notRun('incomplete', cannot(error.message));
    if (error instanceof NoMixError || error instanceof RunStopped) {
      return notRun('invalid', cannot(`its mix could not be built: ${error.message}`));
    }
    throw error;
  } finally {
    progress.end();
  }
}

function endedBy({ reason }: AbortSignal): string {
  const ended = 'the run was ended before it began';
  return reason instanceof TimeSpentError
    ? `${ended}: ${reason.message}: pass a larger --max-time`
    : ended;
}

const PROGRESS_INTERVAL_MS = 5_000;

/** Reports a rate limit immediately, and the number of replies every few seconds. */
function reportProgress() {
  let replies = 0;
  let isRateLimited = false;
  const timer = setInterval(() => notify(`  ${replies} replies so far`), PROGRESS_INTERVAL_MS);
  return {
    count: () => {
      replies += 1;
    },
    rateLimited: () => {
      if (!isRateLimited) notify('  the service limits the rate: discovery waits for it');
      isRateLimited = true;
    },
    end: () => clearInterval(timer),
  };
}

type Get = OpenService['get'];

async function prepare(
  load: ServiceLoad,
  progress: Pick<ReturnType<typeof reportProgress>, 'count' | 'rateLimited'>,
): Promise<PreparedRun> {
  const { timeoutMs } = load.profile;
  const { rateLimited: onRateLimited } = progress;
  const service = openService({
    ...load,
    ...load.reach,
    url: load.baseUrl,
    timeoutMs,
    onRateLimited,
  });
  try {
    const failed: Exchange[] = [];
    const get: Get = async (target) => {
      const exchange = await service.get(target);
      progress.count();
      if (!isConclusive(exchange)) failed.push(exchange);
      return exchange;
    };
    return await discoverMix(load, { ...service, get }, failed);
  } finally {
    await service.close();
  }
}

async function discoverMix(
  { chains, kind, profile, seed, reach, routerNames = {}, user }: ServiceLoad,
  { get, requestChains, client: { redactor, chainIds } }: OpenService,
  failed: readonly Exchange[],
): Promise<PreparedRun> {
  const { outcome } = await requestChains();
  const idleMs: number[] = [];
  for (let i = 0; i < IDLE_LOOKUPS; i++) {
    idleMs.push((await get({ path: PATHS.chains, query: [] })).durationMs);
  }
  const needsPlans = profile.mix.some(({ request }) => request === 'swap' || request === 'invalid');
  const facts = await discover({
    ...{ get, chains: chains.map(Number), user },
    depth: needsPlans ? 'plans' : 'lookups',
  });
  const served = facts.chains.map(({ chainId }) => chainId);
  const unserved = chains.find((id) => served.length > 0 && !served.includes(Number(id)));
  if (unserved !== undefined) {
    const list = served.join(', ');
    throw new UnusableService(`it does not serve chain ${unserved}: it serves ${list}`);
  }
  const { mix, absent } = await buildMix(profile.mix, facts, seed, (chainId, pair, sellAmount) =>
    fetchBuyAmount(get, chainId, pair, sellAmount),
  );
  checkMix(profile, absent, failed);
  const missing: string[] = [];
  for (const entry of absent) {
    const confirmed = await confirmAbsent(entry, facts, get);
    if ('doubt' in confirmed) throw notFound(entry, [confirmed.doubt]);
    missing.push(confirmed.reason);
  }
  const [software] = (outcome.kind !== 'no-reply' && outcome.headers['server']) || [];
  const service = {
    kind,
    idleMs: medianOf(idleMs),
    ...(software !== undefined && { software: redactor.redactText(software) }),
  };
  const named = asRequested(mix, (query) => chainIds.write(toServiceNames(query, routerNames)));
  const unexplored = describeUnexplored(facts) ?? [];
  const omitted = [missing, unexplored, reach?.insecure ? [INSECURE] : []].flat();
  return { kind: 'prepared', facts, mix: named, omitted, redactor, service };
}

/**
 * Checks that kinds of requests are absent only because the service does not offer them.
 *
 * @throws {NoMixError} if no plan was found, or if a failed discovery request may explain why a
 * kind is absent
 */
function checkMix(
  { mix }: Profile,
  absent: readonly MixEntry[],
  failed: readonly Exchange[],
): void {
  const plans = mix.filter(({ request }) => request === 'swap');
  if (plans.length > 0 && plans.every((entry) => absent.includes(entry))) {
    throw new NoMixError(`no plan was found for any pair${describeFailed(failed)}`);
  }
  for (const entry of absent) {
    const relevant = failed.filter(({ query }) => !entry.calldata || hasCalldata(query));
    if (relevant.length === 0) continue;
    throw notFound(entry, relevant);
  }
}

function notFound(entry: MixEntry, replies: readonly Exchange[]): NoMixError {
  return new NoMixError(
    `no request was found for '${kindName(entry)}'${describeFailed(replies)}. Repeat the run, or remove it from the mix`,
  );
}

function hasCalldata(query: Exchange['query']): boolean {
  return query.some(([name]) => name === 'includeCalldata');
}

function describeFailed(failed: readonly Exchange[]): string {
  if (failed.length === 0) return '';
  const counts = new Map<string, number>();
  for (const { outcome } of failed) {
    const name = outcome.kind === 'no-reply' ? outcome.message : `status ${outcome.status}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const causes = [...counts].map(([name, count]) => `${name} (${count})`).slice(0, 3);
  return `; ${counted(failed.length, 'request')} of discovery failed: ${causes.join(', ')}`;
}

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

class NoMixError extends Error {
  override readonly name = 'NoMixError';
}
