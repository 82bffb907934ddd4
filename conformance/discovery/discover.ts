import { isObject, successBody } from '../checks/reply-body.ts';
import type { Exchange } from '../client/exchange.ts';
import { targetFor } from '../client/operations.ts';
import type { RequestTarget } from '../client/request.ts';
import type { ChainInfo } from '../contract/resources.ts';
import { isBody } from '../contract/validators.ts';
import {
  addressKind,
  type DiscoveryBreadth,
  discoverMarket,
  MANY_PAIRS,
} from './discover-market.ts';
import type { ChainMarket, Facts, KnownChainInfo, ListedChain, ListedToken } from './facts.ts';

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
};

/** Depth of discovery: only chains; also their details and tokens; or also plans. */
export type Depth = 'chains' | 'lookups' | 'plans';

/**
 * Discovers what a service offers: its chains, their details, and the pairs and routers for which
 * it returns plans. Omits unreadable parts. `JSON.parse` rounds chain ids above 2^53, but the
 * client writes their exact digits into requests.
 *
 * @throws {RunStopped} if the run is over.
 */
export async function discover({
  get,
  chains: wanted,
  depth = 'plans',
  breadth = () => MANY_PAIRS,
  user,
}: DiscoveryOptions): Promise<Facts> {
  const ask = async (target: RequestTarget) => bodyOf(await get(target));
  const chains = readList('chains', await ask(targetFor('chains', {})));
  const named = chains.map(({ chainId }) => chainId);
  const inScope =
    wanted.length > 0
      ? wanted.filter((chainId) => named.length === 0 || named.includes(chainId))
      : named;
  const explored: readonly Explored[] = await Promise.all(
    [...new Set(inScope)].map(async (chainId) => {
      if (depth === 'chains') return { chainId, market: marketWithoutPlans(chainId, 'evm') };
      const [infoBody, tokensBody] = await Promise.all([
        ask(targetFor('chainInfo', { chainId })),
        ask(targetFor('tokens', { chainId })),
      ]);
      const info = readChainInfo(infoBody);
      const listed = readList('tokens', tokensBody);
      const market =
        depth === 'lookups'
          ? marketWithoutPlans(chainId, addressKind(listed, info))
          : await discoverMarket({
              ...{ chainId, info, tokens: listed, get, breadth: breadth(), user },
              share: inScope.length,
            });
      return { chainId, info, listed: Array.isArray(tokensBody) ? listed : undefined, market };
    }),
  );
  const known = <T>(pick: (each: Explored) => T | undefined) =>
    new Map(
      explored.flatMap((each): [number, T][] => {
        const value = pick(each);
        return value === undefined ? [] : [[each.chainId, value]];
      }),
    );
  return {
    chains,
    chainInfo: known(({ info }) => info),
    tokens: known(({ listed }) => listed),
    markets: known(({ market }) => market),
  };
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
 * Returns the readable entries of a list; the rules judge the others. Discovery does not need the
 * name of a chain or the metadata of a token.
 */
export function readList<Name extends 'chains' | 'tokens'>(
  name: Name,
  body: unknown,
): readonly Listed[Name][] {
  return Array.isArray(body)
    ? body.filter((entry) =>
        isBody(name, [isObject(entry) ? { ...entry, ...UNNEEDED[name] } : entry]),
      )
    : [];
}

type Listed = { readonly chains: ListedChain; readonly tokens: ListedToken };

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
