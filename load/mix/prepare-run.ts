import { createClient, NO_API_KEY } from '../../conformance/client/client.ts';
import type { Exchange } from '../../conformance/client/exchange.ts';
import { createHttpTransport } from '../../conformance/client/http-transport.ts';
import type { Redactor } from '../../conformance/client/redaction.ts';
import type { RequestTarget } from '../../conformance/client/request.ts';
import { inTheirNames, type RouterNames } from '../../conformance/client/router-names.ts';
import { PATHS } from '../../conformance/contract/paths.ts';
import { discover } from '../../conformance/discovery/discover.ts';
import type { Facts, TradedPair } from '../../conformance/discovery/facts.ts';
import { readQuote } from '../../conformance/discovery/quote.ts';
import { printable } from '../../conformance/output/printable.ts';
import type { LoadResult } from '../model/load-result.ts';
import type { Profile } from '../model/profile.ts';
import { buildMix } from './build-mix.ts';
import type { RequestMix } from './request-mix.ts';

/** What is learned of a service before it is loaded. */
export type PreparedRun = {
  readonly kind: 'prepared';
  readonly facts: Facts;
  readonly mix: RequestMix;
  readonly leftOut: readonly string[];
  readonly service: NonNullable<LoadResult['service']>;
  /** Takes the API key out of what is shown. */
  readonly redactor: Redactor;
};

/** Why a service cannot be loaded, in a sentence. */
export type NotLoadable = { readonly kind: 'not-loadable'; readonly reason: string };

export type PrepareOptions = {
  readonly baseUrl: URL;
  readonly apiKey: string;
  readonly routerNames?: RouterNames | undefined;
  readonly profile: Pick<Profile, 'mix' | 'timeoutMs'>;
  readonly seed: number;
  /** Chain ids; empty, all that the service names. */
  readonly chains: readonly number[];
  readonly kind: NonNullable<LoadResult['service']>['kind'];
  readonly signal: AbortSignal;
};

/** Discovers a service and builds the mix to send it, with some hundred requests at most. */
export async function prepareRun(options: PrepareOptions): Promise<PreparedRun | NotLoadable> {
  const { baseUrl, apiKey, routerNames, signal, profile } = options;
  if (apiKey === '') return notLoadable(NO_API_KEY);
  const transport = createHttpTransport(baseUrl, { timeoutMs: profile.timeoutMs, connections: 4 });
  const client = createClient({ transport, apiKey, routerNames });
  try {
    const get: Get = (target) => client.send(target, signal, (exchange) => exchange);
    const prepared = await prepare(options, get, client.redactor);
    return signal.aborted ? notLoadable('the run was ended before it began') : prepared;
  } finally {
    await client.close();
  }
}

type Get = (target: RequestTarget) => Promise<Exchange>;

async function prepare(
  { baseUrl, chains, kind, profile, seed, routerNames = {} }: PrepareOptions,
  get: Get,
  redactor: Redactor,
): Promise<PreparedRun | NotLoadable> {
  const lookup = { path: PATHS.chains, query: [] };
  const { outcome } = await get(lookup);
  const url = redactor.sentence(baseUrl.href);
  if (outcome.kind === 'no-reply') return notLoadable(`cannot load ${url}: ${outcome.message}`);
  if (outcome.status !== 200) {
    const answer = `${outcome.status}: ${printable(outcome.text, 200)}`;
    return notLoadable(`cannot load ${url}: it answered /chains with ${answer}`);
  }
  const idleMs: number[] = [];
  for (let i = 0; i < IDLE_LOOKUPS; i++) idleMs.push((await get(lookup)).durationMs);
  const facts = await discover({ get, chains });
  const served = facts.chains.map(({ chainId }) => chainId);
  const unserved = chains.find((id) => served.length > 0 && !served.includes(id));
  if (unserved !== undefined) {
    return notLoadable(
      `the service does not serve chain ${unserved}: it names ${served.join(', ')}`,
    );
  }
  const { mix, leftOut } = await buildMix(profile.mix, facts, seed, (chainId, pair, sellAmount) =>
    fetchBuyAmount(get, chainId, pair, sellAmount),
  );
  const wantsSwaps = profile.mix.some(({ request }) => request === 'swap');
  if (wantsSwaps && !mix.kinds.some(({ endpoint }) => /^swap\b/.test(endpoint))) {
    return notLoadable(`cannot load ${url}: it found no plan for any pair that the mix asks for`);
  }
  const [software] = outcome.headers['server'] ?? [];
  const service = {
    kind,
    idleMs: idleMs.sort((a, b) => a - b)[Math.floor(IDLE_LOOKUPS / 2)] ?? 0,
    ...(software === undefined ? {} : { software: redactor.said(software) }),
  };
  const named = askedInTheirNames(mix, routerNames);
  return { kind: 'prepared', facts, mix: named, leftOut, redactor, service };
}

function askedInTheirNames(mix: RequestMix, names: RouterNames): RequestMix {
  const kinds = mix.kinds.map((kind) => ({
    ...kind,
    templates: kind.templates.map((template) =>
      'target' in template
        ? { target: inTheirNames(template.target, names) }
        : { ...template, after: inTheirNames(template.after, names) },
    ),
  }));
  return { ...mix, kinds };
}

function notLoadable(reason: string): NotLoadable {
  return { kind: 'not-loadable', reason };
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

const IDLE_LOOKUPS = 9;
