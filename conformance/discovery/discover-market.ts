import {
  type ChainInfo,
  NATIVE_ALIASES,
  ROUTER_NAMES,
  type RouterName,
  type TokenInfo,
} from '../contract/resources.ts';
import type { RequestTarget } from '../runner/session.ts';
import { candidatePairs, pickTokens } from './candidates.ts';
import type { Ask } from './discover.ts';
import type { Asset, ChainMarket, TradedPair } from './facts.ts';
import { type Quote, readQuote } from './quote.ts';

type MarketOptions = {
  readonly chainId: number;
  readonly info: ChainInfo | undefined;
  readonly tokens: readonly TokenInfo[];
  readonly ask: Ask;
  /** Chains that share what discovery may cost. */
  readonly share: number;
};

/** US dollars worth asking for; the later ones where the first is refused. */
const TRADE_USD = [100, 1, 5_000];
/** An account that holds nothing anywhere. */
const USER = '0x00000000000000000000000000000000c0ffee01';

/** Finds out what can be traded on one chain: prices first, then pairs, then routers. */
export async function discoverMarket(options: MarketOptions): Promise<ChainMarket> {
  const { chainId, info, tokens, ask, share } = options;
  const picked = pickTokens(tokens, info, Math.max(6, Math.min(20, Math.floor(160 / share))));
  const quotes: Quote[] = [];
  const quote = async (sell: Asset, buy: Asset, sellAmount: bigint) => {
    const reply = readQuote(await ask(swapTarget(chainId, sell, buy, sellAmount)));
    if (reply !== undefined) quotes.push(reply);
    return reply;
  };
  const usd = picked.usd;
  const priced = await Promise.all(
    picked.assets.map(async (asset): Promise<Asset> => {
      const other = asset === usd ? picked.assets.find((each) => each !== usd) : usd;
      if (other === undefined) return asset;
      const price = await findPrice(asset, other, quote);
      return price === undefined ? asset : { ...asset, usdPrice: price };
    }),
  );
  const nativeTokenUsdPrice = quotes.find((each) => each.nativeTokenUsdPrice)?.nativeTokenUsdPrice;
  const native: Asset = {
    address: NATIVE_ALIASES[0],
    symbol: 'native',
    decimals: 18,
    usdPrice: nativeTokenUsdPrice,
    native: true,
  };
  const pairs = candidatePairs(
    priced,
    native,
    { usd: usd?.address, wrappedNative: info?.wrappedNativeTokenAddress },
    Math.max(12, Math.min(64, Math.floor(320 / share))),
  );
  const tried = await Promise.all(
    pairs.map(async ([sell, buy]) => ({ sell, buy, trade: await findTrade(sell, buy, quote) })),
  );
  const traded = tried.flatMap(({ trade }) => trade ?? []);
  return {
    chainId,
    addresses: hasHexAddresses(tokens, info) ? 'evm' : 'other',
    pairs: traded,
    refusedPairs: tried.flatMap(({ sell, buy, trade }) =>
      trade === undefined ? [[sell, buy] as const] : [],
    ),
    routers: await findRouters(chainId, info, traded, ask),
    nativeTokenUsdPrice,
  };
}

type AskQuote = (sell: Asset, buy: Asset, sellAmount: bigint) => Promise<Quote | undefined>;

/** One whole token first; a thousandth or a thousand of it where that is refused. */
async function findPrice(sell: Asset, buy: Asset, quote: AskQuote): Promise<number | undefined> {
  for (const shift of [0, -3, 3]) {
    const amount = 10n ** BigInt(Math.max(0, sell.decimals + shift));
    const reply = await quote(sell, buy, amount);
    const price = reply?.usdPrices.get(sell.address.toLowerCase());
    if (price !== undefined) return price;
  }
  return undefined;
}

async function findTrade(
  sell: Asset,
  buy: Asset,
  quote: AskQuote,
): Promise<TradedPair | undefined> {
  for (const usd of TRADE_USD) {
    const sellAmount = baseUnitsWorth(usd, sell);
    const reply = await quote(sell, buy, sellAmount);
    if (reply !== undefined) return { sell, buy, sellAmount, buyAmount: reply.buyAmount };
  }
  return undefined;
}

/** Base units of an asset that are worth about so many US dollars; its whole units where the price is unknown. */
export function baseUnitsWorth(usd: number, { usdPrice = 1, decimals }: Asset): bigint {
  const units = (usd / Math.max(usdPrice, 1e-15)) * 10 ** decimals;
  if (!Number.isFinite(units) || units < 1) return 1n;
  // Two significant digits make amounts that a person can read.
  const digits = Math.max(0, Math.floor(Math.log10(units)) - 1);
  return BigInt(Math.round(units / 10 ** digits)) * 10n ** BigInt(digits);
}

async function findRouters(
  chainId: number,
  info: ChainInfo | undefined,
  pairs: readonly TradedPair[],
  ask: Ask,
): Promise<ReadonlyMap<RouterName, 'plan' | 'calldata'>> {
  const names = info?.routers.map(({ name }) => name) ?? ROUTER_NAMES;
  const found = await Promise.all(
    [...new Set(names)].map(async (name) => {
      for (const { sell, buy, sellAmount } of pairs.slice(0, 4)) {
        const target = swapTarget(chainId, sell, buy, sellAmount, [['router', name]]);
        if (readQuote(await ask(target)) === undefined) continue;
        const withCalldata = swapTarget(chainId, sell, buy, sellAmount, [
          ['router', name],
          ['includeCalldata', 'true'],
          ['userAddress', USER],
          ['slippageTolerance', '0.01'],
        ]);
        const encoded = readQuote(await ask(withCalldata));
        return [name, encoded === undefined ? 'plan' : 'calldata'] as const;
      }
      return undefined;
    }),
  );
  return new Map(found.filter((entry) => entry !== undefined));
}

function swapTarget(
  chainId: number,
  sell: Asset,
  buy: Asset,
  sellAmount: bigint,
  more: readonly (readonly [string, string])[] = [],
): RequestTarget {
  return {
    path: '/api/v1.0/swap',
    query: [
      ['chainId', String(chainId)],
      ['sellToken', sell.address],
      ['buyToken', buy.address],
      ['sellAmount', String(sellAmount)],
      ...more,
    ],
  };
}

function hasHexAddresses(tokens: readonly TokenInfo[], info: ChainInfo | undefined): boolean {
  const addresses = tokens.map(({ address }) => address);
  if (info !== undefined) addresses.push(info.usdTokenAddress, info.wrappedNativeTokenAddress);
  const fitting = addresses.filter((address) => /^0x[0-9a-fA-F]{40}$/.test(address)).length;
  return fitting * 2 > addresses.length;
}
