import PQueue from 'p-queue';
import { isObject, successBody } from '../checks/reply-body.ts';
import type { Exchange } from '../client/exchange.ts';
import { targetFor } from '../client/operations.ts';
import type { RequestTarget } from '../client/request.ts';
import { RunStopped } from '../client/scheduler.ts';
import type { ChainInfo } from '../contract/resources.ts';
import { isBody } from '../contract/validators.ts';
import {
  addressKind,
  type DiscoveryBreadth,
  discoverMarket,
  MANY_PAIRS,
} from './discover-market.ts';
import {
  type ChainMarket,
  type Facts,
  type KnownChainInfo,
  type ListedChain,
  type ListedToken,
  MAX_EXPLORED_CHAINS,
} from './facts.ts';

export type DiscoveryOptions = {
  readonly get: (target: RequestTarget) => Promise<Exchange>;
  /** The chains in scope; if empty, all chains that the service lists. */
  readonly chains: readonly number[];
  /** The facts to discover. Default: all. */
  readonly depth?: Depth | undefined;
  /**
   * Returns the maximum number of tokens and pairs to try; called after the lookups. Default:
   * `MANY_PAIRS`.
   */
  readonly breadth?: (() => DiscoveryBreadth) | undefined;
  /** Account to request calldata for. Default: one without funds. */
  readonly user?: string | undefined;
  /**
   * Determines on which chains the first request for a plan allows market makers. Default: none.
   */
  readonly seed?: number | undefined;
};

/** Depth of discovery: only chains; also their details and tokens; or also plans. */
export type Depth = 'chains' | 'lookups' | 'plans';

/** Maximum number of chains to explore at once, so that the first ones are complete early. */
const CONCURRENT_CHAINS = 8;
/**
 * Maximum size of all lookups that discovery reads, in characters, since facts stay in memory.
 * Lookups beyond it count as unreadable.
 */
const MAX_LOOKUP_CHARACTERS = 64 * 2 ** 20;

/**
 * Discovers what a service offers: its chains, their details, and the pairs and routers for which
 * it returns plans. Omits unreadable parts. `JSON.parse` rounds chain ids above 2^53, but the
 * client writes their exact digits into requests.
 *
 * @throws {DiscoveryStopped} with the facts so far, if the run ends or an operation is no longer
 * requested.
 */
export async function discover({
  get: send,
  chains: wanted,
  depth = 'plans',
  breadth = () => MANY_PAIRS,
  user,
  seed,
}: DiscoveryOptions): Promise<Facts> {
  let stopped: RunStopped | undefined;
  const get = async (target: RequestTarget) => {
    try {
      return await send(target);
    } catch (error) {
      if (!(error instanceof RunStopped)) throw error;
      stopped ??= error;
      return undefined;
    }
  };
  let characters = 0;
  const getBody = async (target: RequestTarget): Promise<unknown> => {
    const exchange = await get(target);
    if (exchange?.outcome.kind !== 'reply') return undefined;
    characters += exchange.outcome.text.length;
    return characters > MAX_LOOKUP_CHARACTERS ? undefined : bodyOf(exchange);
  };
  const chains = readList('chains', await getBody(targetFor('chains', {})));
  const listedIds = new Set(chains.map(({ chainId }) => chainId));
  const named = wanted.filter((chainId) => listedIds.size === 0 || listedIds.has(chainId));
  const inScope = [...new Set(wanted.length > 0 ? named : listedIds)];
  const toExplore = wanted.length > 0 ? inScope : inScope.slice(0, MAX_EXPLORED_CHAINS);
  const exploreChain = async (chainId: number, beginsWithRfq: boolean): Promise<Explored> => {
    if (depth === 'chains') return { chainId, market: marketWithoutPlans(chainId, 'evm') };
    const [infoBody, tokensBody] = await Promise.all([
      getBody(targetFor('chainInfo', { chainId })),
      getBody(targetFor('tokens', { chainId })),
    ]);
    const info = readChainInfo(infoBody);
    const listed = readList('tokens', tokensBody);
    const market =
      depth === 'lookups'
        ? marketWithoutPlans(chainId, addressKind(listed, info))
        : await discoverMarket({
            ...{ chainId, info, tokens: listed, get, breadth: breadth(), user },
            share: toExplore.length,
            beginsWithRfq,
          });
    return { chainId, info, listed: Array.isArray(tokensBody) ? listed : undefined, market };
  };
  const queue = new PQueue({ concurrency: CONCURRENT_CHAINS });
  const explored: readonly Explored[] = await queue.addAll(
    toExplore.map(
      (chainId, index) => () =>
        exploreChain(chainId, seed !== undefined && (seed + index) % 2 === 1),
    ),
  );
  const known = <T>(pick: (each: Explored) => T | undefined) =>
    new Map(
      explored.flatMap((each): [number, T][] => {
        const value = pick(each);
        return value === undefined ? [] : [[each.chainId, value]];
      }),
    );
  const unexplored = inScope.length - toExplore.length;
  const facts = {
    chains,
    chainInfo: known(({ info }) => info),
    tokens: known(({ listed }) => listed),
    markets: known(({ market }) => market),
    ...(unexplored > 0 && { unexploredChains: unexplored }),
  };
  if (stopped !== undefined) throw new DiscoveryStopped(stopped, facts);
  return facts;
}

/**
 * Returns a phrase that names the listed chains that discovery did not explore; undefined if it
 * explored all.
 */
export function describeUnexplored({ markets, unexploredChains }: Facts): string | undefined {
  return unexploredChains === undefined
    ? undefined
    : `${unexploredChains} of the chains that /chains lists, since at most ${markets.size} are explored: pass --chain to name the chains to request`;
}

type Explored = {
  readonly chainId: number;
  readonly info?: KnownChainInfo | undefined;
  readonly listed?: readonly ListedToken[] | undefined;
  readonly market: ChainMarket;
};

function marketWithoutPlans(chainId: number, addresses: ChainMarket['addresses']): ChainMarket {
  return {
    ...{ chainId, addresses, pairs: [], pairsWithoutPlan: [], routers: new Map() },
    nativeTokenUsdPrice: undefined,
  };
}

/** Facts about a service before discovery. */
export const NO_FACTS: Facts = {
  chains: [],
  chainInfo: new Map(),
  tokens: new Map(),
  markets: new Map(),
};

/** Returns the JSON body of a reply with status 200; undefined for other replies. */
export function bodyOf({ outcome }: Exchange): unknown {
  return outcome.kind === 'reply' ? successBody(outcome) : undefined;
}

/**
 * Returns the readable entries of a list, with only the fields that facts contain; the rules judge
 * the others. Discovery does not need the name of a chain or the metadata of a token.
 */
export function readList<Name extends 'chains' | 'tokens'>(
  name: Name,
  body: unknown,
): readonly Listed[Name][] {
  return Array.isArray(body)
    ? body
        .filter((entry) =>
          isBody(name, [isObject(entry) ? { ...entry, ...UNNEEDED[name] } : entry]),
        )
        .map(PICK[name])
    : [];
}

type Listed = { readonly chains: ListedChain; readonly tokens: ListedToken };

const PICK: { readonly [Name in keyof Listed]: (entry: Listed[Name]) => Listed[Name] } = {
  chains: ({ chainId, name }) => ({ chainId, ...(name !== undefined && { name }) }),
  tokens: ({ address, name, symbol, decimals }) => ({ address, name, symbol, decimals }),
};

const UNNEEDED = { chains: { name: '' }, tokens: { metadata: { logoURI: '' } } };

/** Returns the readable parts of a body of /chainInfo; undefined if required fields are missing. */
export function readChainInfo(body: unknown): KnownChainInfo | undefined {
  if (!isObject(body)) return undefined;
  const listed = Array.isArray(body['routers']) ? body['routers'].map(withoutUnreadableProxy) : [];
  const isReadable = (router: unknown) => isBody('chainInfo', { ...SAMPLE, routers: [router] });
  const readable = { ...body, routers: listed.filter(isReadable) };
  if (!isBody('chainInfo', readable)) return undefined;
  const unreadable = listed.filter((router) => !isReadable(router)).filter(isObject);
  return unreadable.length === 0
    ? readable
    : { ...readable, unreadableRouters: unreadable.map(({ name }) => name) };
}

function withoutUnreadableProxy(router: unknown): unknown {
  if (!isObject(router) || typeof router['tokenProxyAddress'] === 'string') return router;
  const { tokenProxyAddress: _, ...rest } = router;
  return rest;
}

const SAMPLE: ChainInfo = {
  chainId: 1,
  name: '',
  usdTokenAddress: '',
  wrappedNativeTokenAddress: '',
  routers: [],
};

/** Discovery could not be completed; `facts` are those that it found before. */
export class DiscoveryStopped extends RunStopped {
  readonly facts: Facts;

  constructor(cause: RunStopped, facts: Facts) {
    super(cause.message, cause.scope);
    this.facts = facts;
  }
}
