import { getAddress } from 'viem/utils';
import type { ChainInfo, SwapResponse, TokenInfo } from '../../conformance/contract/resources.ts';
import {
  ENCODERS,
  type ResolvedRouter,
  type RouterEncoders,
  resolveRouters,
} from '../encoding/encoders.ts';
import type { Market, MarketChange } from '../market/market.ts';
import type { Address } from '../planner/domain/address.ts';
import { LruCache } from '../planner/domain/lru-cache.ts';
import type { RoutingPlan } from '../planner/graph/plan.ts';
import { tokensOf } from '../planner/pools/pool.ts';
import { usdPrices } from '../planner/prices/usd-prices.ts';
import { RequestError } from './errors.ts';

/** A plan and its reply, without calldata. */
export type PlannedSwap = {
  readonly plan: RoutingPlan;
  readonly reply: SwapResponse;
  /**
   * Time after which the makers' orders in the plan must be requested again; infinite for a plan
   * without orders.
   */
  readonly freshUntilMs: number;
};

/** One state of a market, ready to serve. */
export type ServedChain = {
  readonly market: Market;
  readonly routers: readonly ResolvedRouter[];
  /** True if the market's state is too old to trade on. */
  readonly isLost?: boolean;
  /** Result of `/tokens`. */
  readonly tokens: readonly TokenInfo[];
  /** Result of `/chainInfo`. */
  readonly info: ChainInfo;
  /** USD price of each token. A token without a price is not connected to the USD token. */
  readonly usdPrices: ReadonlyMap<Address, number>;
  /** Contracts that must not be recipients, with a description of each. */
  readonly contracts: ReadonlyMap<Address, string>;
  /**
   * The service's only cache: the plan for each trade, or the error if there is none. Valid for
   * this state of the market.
   */
  readonly plans: LruCache<PlannedSwap | RequestError>;
};

type ChainOptions = {
  readonly follow?: (onChange: (change: MarketChange) => void) => void;
  readonly encoders?: RouterEncoders;
  readonly planCacheSize?: number;
};

/**
 * Serves markets and follows their changes. Returns a function for the latest state of a chain,
 * which throws a {@link RequestError} for an unknown chain.
 */
export function serveChains(
  markets: readonly Market[],
  report: (line: string) => void,
  { follow, encoders = ENCODERS, planCacheSize = 4096 }: ChainOptions,
): (chainId: number) => ServedChain {
  const prepare = (market: Market) => serveChain(market, encoders, planCacheSize);
  const chains = new Map(markets.map((market) => [market.chainId, prepare(market)]));
  follow?.((change) => {
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
  return (chainId) => {
    const chain = chains.get(chainId);
    if (chain) return chain;
    const message = `Parameter 'chainId' is '${chainId}': expected a chain of /chains.`;
    const details = { parameter: 'chainId', value: `${chainId}` };
    throw new RequestError('UNKNOWN_CHAIN', message, { details });
  };
}

/** Prepares a state of a market to be served, with a cache for `planCacheSize` plans. */
function serveChain(market: Market, encoders: RouterEncoders, planCacheSize: number): ServedChain {
  const routers = resolveRouters(market, encoders);
  return {
    market,
    routers,
    tokens: describeTokens(market),
    info: describeChain(market, routers),
    usdPrices: usdPrices(market),
    contracts: contractsOf(market),
    plans: new LruCache(planCacheSize),
  };
}

function describeTokens({ pools, tokens }: Market): TokenInfo[] {
  const traded = new Set(pools.flatMap((pool) => tokensOf(pool)));
  return [...tokens.values()]
    .filter(({ address }) => traded.has(address))
    .map(({ address, name, symbol, decimals, logoURI }) => ({
      address: getAddress(address),
      name,
      symbol,
      decimals,
      metadata: { logoURI },
    }));
}

function describeChain(market: Market, routers: readonly ResolvedRouter[]): ChainInfo {
  return {
    chainId: market.chainId,
    name: market.name,
    usdTokenAddress: getAddress(market.usdToken),
    wrappedNativeTokenAddress: getAddress(market.wrappedNative),
    routers: routers.map(({ name, address, tokenProxy, sources, encode }) => ({
      name,
      liquiditySources: [...sources],
      deployedAddress: getAddress(address),
      ...(tokenProxy && { tokenProxyAddress: getAddress(tokenProxy) }),
      hasEncoder: encode !== undefined,
    })),
  };
}

/**
 * Returns the market's contracts, which must not be paid. Anybody can take a payment to a router or
 * its proxy. A payment to a token or vault is lost, and a payment to a pool benefits the pool's
 * next trader.
 */
function contractsOf({ routers, tokens, pools, makerOrders }: Market): Map<Address, string> {
  return new Map([
    ...[...tokens.keys()].map((address) => [address, 'a token'] as const),
    ...pools.map(({ address }) => [address, 'a pool'] as const),
    ...pools.flatMap((pool) =>
      'vault' in pool ? [[pool.vault, 'a vault of pools'] as const] : [],
    ),
    ...(makerOrders ? [[makerOrders, 'a contract that fills orders'] as const] : []),
    ...routers.flatMap(({ address, tokenProxy }) => [
      [address, 'a router'] as const,
      ...(tokenProxy ? [[tokenProxy, 'a token proxy'] as const] : []),
    ]),
  ]);
}
