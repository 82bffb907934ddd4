import type { Asset, ChainMarket, Facts, TradedPair } from '../discovery/facts.ts';
import { BOUGHT, NATIVE, SOLD, USD, WRAPPED } from './golden-addresses.ts';
import { goldenFacts, goldenTokens } from './golden-replies.testing.ts';

/** The tokens of the model service, in the order in which its pools connect them. */
export const LINE = [SOLD, USD, WRAPPED, BOUGHT];
/** Prices of the tokens in `LINE`, in USD. */
export const PRICES = [1, 1, 10_000, 1];

const assets = LINE.map((address, at) => ({
  address,
  symbol: goldenTokens()[at].symbol,
  decimals: goldenTokens()[at].decimals,
  usdPrice: PRICES[at],
  native: false,
}));
const native = { ...(assets[2] as (typeof assets)[number]), address: NATIVE, native: true };

function pair(sell: (typeof assets)[number], buy: (typeof assets)[number]): TradedPair {
  const unit = ({ decimals, usdPrice = 1 }: (typeof assets)[number]) =>
    (10n ** BigInt(decimals) * 100n) / BigInt(usdPrice);
  return { sell, buy, sellAmount: unit(sell), buyAmount: unit(buy) };
}

const everything = [native, ...assets];
/** The facts that discovery would find about the model service's market. */
export const modelMarket: ChainMarket = {
  chainId: 31337,
  addresses: 'evm',
  pairs: everything.flatMap((sell) =>
    everything
      .filter(
        (buy) => (buy.native ? WRAPPED : buy.address) !== (sell.native ? WRAPPED : sell.address),
      )
      .map((buy) => pair(sell, buy)),
  ),
  pairsWithoutPlan: [],
  routers: new Map([
    ['default-router', 'calldata'],
    ['service-router', 'plan'],
  ]),
  nativeTokenUsdPrice: PRICES[2],
};

/** The facts that discovery would find about the model service. */
export const modelFacts: Facts = { ...goldenFacts, markets: new Map([[31337, modelMarket]]) };

/** Facts in which a second chain, without trades, is in scope. */
export const twoChains: Partial<Facts> = {
  markets: new Map([...modelFacts.markets, [501, { ...modelMarket, chainId: 501, pairs: [] }]]),
};

type PricedAsset = Partial<Asset> & Pick<Asset, 'address'>;

/**
 * Facts about the golden chain after earlier plans that contained prices of the native token and of
 * two other tokens.
 */
export function factsWithPrices(
  nativeTokenUsdPrice: number | undefined,
  ...prices: readonly [PricedAsset, PricedAsset]
): Facts {
  const [sell, buy] = prices.map((price) => ({ ...native, native: false, ...price })) as [
    Asset,
    Asset,
  ];
  const pairs = [{ sell, buy, sellAmount: 1n, buyAmount: 1n }];
  const market = { ...modelMarket, pairs, nativeTokenUsdPrice };
  return { ...goldenFacts, markets: new Map([[31337, market]]) };
}
