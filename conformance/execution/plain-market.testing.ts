import type { Exchange } from '../client/exchange.ts';
import type { RequestTarget } from '../client/request.ts';
import type { Asset, ChainMarket, Facts } from '../discovery/facts.ts';
import type { Session } from '../model/session.ts';

/** A token with 18 decimals and no price. The zero address is the native token. */
export const plainAsset = (address: string, symbol: string): Asset => ({
  address,
  symbol,
  decimals: 18,
  usdPrice: undefined,
  native: /^0x0+$/.test(address),
});

/** A market whose pairs trade at some amounts, through one router that returns calldata. */
export const plainMarket = (
  chainId: number,
  pairs: readonly (readonly [sell: Asset, buy: Asset])[],
  [sellAmount, buyAmount]: readonly [bigint, bigint],
): ChainMarket => ({
  chainId,
  addresses: 'evm',
  pairs: pairs.map(([sell, buy]) => ({ sell, buy, sellAmount, buyAmount })),
  pairsWithoutPlan: [],
  routers: new Map([['default-router', 'calldata']]),
  nativeTokenUsdPrice: undefined,
});

/** A session with a service of one market. */
export function plainSession(
  market: ChainMarket,
  get: (target: RequestTarget) => Promise<Exchange>,
  facts: Partial<Facts> = {},
): Session {
  const markets = new Map([[market.chainId, market]]);
  const known = { chains: [], chainInfo: new Map(), tokens: new Map(), markets, ...facts };
  return { facts: known, get, seed: 1, frozen: false, tolerancePpm: 0 };
}
