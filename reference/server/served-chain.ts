import { getAddress } from 'viem/utils';
import type { Chain, ChainInfo, TokenInfo } from '../../conformance/contract/resources.ts';
import { type ResolvedRouter, type RouterEncoders, resolveRouters } from '../encoding/encoders.ts';
import type { Market } from '../market/market.ts';
import type { Address } from '../planner/domain/address.ts';
import type { Token } from '../planner/domain/token.ts';
import { tokensOf } from '../planner/pools/pool.ts';
import { usdPrices } from '../planner/prices/usd-prices.ts';

/** A market with all that replies about it repeat, worked out once. */
export type ServedChain = {
  readonly market: Market;
  readonly routers: readonly ResolvedRouter[];
  /** Whether the market is too old to trade on. */
  readonly isLost?: boolean;
  /** Body of `/tokens`. */
  readonly tokensBody: Buffer;
  /** Body of `/chainInfo`. */
  readonly chainInfoBody: Buffer;
  /** The price of a token in USD; 0 where no pool leads to the USD token. */
  readonly usdPriceOf: (token: Address) => number;
  /** The address with its EIP-55 checksum, as all addresses go out. */
  readonly checksumOf: (address: Address) => string;
};

/** Returns the market made ready to serve. */
export function serveChain(market: Market, encoders: RouterEncoders): ServedChain {
  const routers = resolveRouters(market, encoders);
  const prices = usdPrices(market);
  const checksums = new Map<Address, string>();
  const checksumOf = (address: Address): string => {
    const known = checksums.get(address);
    if (known !== undefined) return known;
    const checksum = getAddress(address);
    checksums.set(address, checksum);
    return checksum;
  };
  return {
    market,
    routers,
    tokensBody: jsonBytes(describeTokens(market, checksumOf)),
    chainInfoBody: jsonBytes(describeChain(market, routers, checksumOf)),
    usdPriceOf: (token) => prices.get(token) ?? 0,
    checksumOf,
  };
}

/** Returns the body of `/chains` (2.7). */
export function chainsBody(markets: readonly Market[]): Buffer {
  const chains: Chain[] = markets.map(({ chainId, name }) => ({ chainId, name }));
  return jsonBytes(chains);
}

/** Returns the tokens that some pool trades (2.6, 4.2). */
function describeTokens(market: Market, checksumOf: (address: Address) => string): TokenInfo[] {
  const traded = new Set(market.pools.flatMap((pool) => tokensOf(pool)));
  const describe = ({ address, name, symbol, decimals, logoURI }: Token): TokenInfo => ({
    address: checksumOf(address),
    name,
    symbol,
    decimals,
    metadata: { logoURI },
  });
  return [...market.tokens.values()].filter(({ address }) => traded.has(address)).map(describe);
}

/** Returns the chain, its key tokens and its routers (2.8, 2.9). */
function describeChain(
  market: Market,
  routers: readonly ResolvedRouter[],
  checksumOf: (address: Address) => string,
): ChainInfo {
  return {
    chainId: market.chainId,
    name: market.name,
    usdTokenAddress: checksumOf(market.usdToken),
    wrappedNativeTokenAddress: checksumOf(market.wrappedNative),
    routers: routers.map(({ name, address, tokenProxy, sources, encode }) => ({
      name,
      liquiditySources: [...sources],
      deployedAddress: checksumOf(address),
      ...(tokenProxy && { tokenProxyAddress: checksumOf(tokenProxy) }),
      hasEncoder: encode !== undefined,
    })),
  };
}

function jsonBytes(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
