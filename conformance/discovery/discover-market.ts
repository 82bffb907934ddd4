import { addressKey, isHexAddress } from '../checks/hex.ts';
import { type Exchange, statusOf } from '../client/exchange.ts';
import { targetFor } from '../client/operations.ts';
import type { RequestTarget } from '../client/request.ts';
import { NATIVE_ALIASES, ROUTER_NAMES } from '../contract/names.ts';
import type { ChainInfo, RouterName } from '../contract/resources.ts';
import { candidatePairs, hasAddress, pickTokens } from './candidates.ts';
import { describeAnswer } from './explain-rejection.ts';
import type { Asset, ChainMarket, ListedToken, RequiredParameters, TradedPair } from './facts.ts';
import { type Quote, readQuote } from './quote.ts';

type MarketOptions = {
  readonly chainId: number;
  readonly info: ChainInfo | undefined;
  readonly tokens: readonly ListedToken[];
  readonly get: Get;
  /** Number of chains that share the budget of discovery. */
  readonly share: number;
  readonly breadth: DiscoveryBreadth;
  /** True to begin with a request that allows market makers. Default: false. */
  readonly beginsWithRfq?: boolean | undefined;
  /** Account to request calldata for. Default: one without funds. */
  readonly user?: string | undefined;
};

/** Maximum number of tokens and pairs to try, over all chains, with a minimum for each chain. */
export type DiscoveryBreadth = {
  readonly tokens: {
    readonly inAll: number;
    readonly perChain: readonly [min: number, max: number];
  };
  readonly pairs: {
    readonly inAll: number;
    readonly perChain: readonly [min: number, max: number];
  };
};

/** Breadth that finds faults in individual tokens and pairs. */
export const MANY_PAIRS: DiscoveryBreadth = {
  tokens: { inAll: 160, perChain: [6, 20] },
  pairs: { inAll: 320, perChain: [12, 64] },
};

/** Breadth that is sufficient to try each rule once. */
export const FEW_PAIRS: DiscoveryBreadth = {
  tokens: { inAll: 12, perChain: [3, 6] },
  pairs: { inAll: 24, perChain: [6, 12] },
};

function maxPerChain(
  { inAll, perChain: [min, max] }: DiscoveryBreadth['tokens'],
  chains: number,
): number {
  return Math.max(min, Math.min(max, Math.floor(inAll / chains)));
}

/** Sends a request. Resolves with undefined if it may no longer be sent. */
type Get = (target: RequestTarget) => Promise<Exchange | undefined>;

/** Sizes to try in order, until the service returns a plan. */
const TRADE_SIZES_USD = [100, 1, 5_000];
const ACCOUNT_WITHOUT_FUNDS = '0x00000000000000000000000000000000c0ffee04';
const MAX_PAIRS_PER_REQUIREMENT = 6;

/** Discovers what can be traded on one chain: prices first, then pairs, then routers. */
export async function discoverMarket(options: MarketOptions): Promise<ChainMarket> {
  const { chainId, info, tokens, share, breadth } = options;
  const pairLimit = maxPerChain(breadth.pairs, share);
  if (options.beginsWithRfq) await requestWithRfq(options);
  let requiredParameters: RequiredParameters = [];
  let explored = await explore(options, requiredParameters, pairLimit);
  for (const other of parametersToTry(info)) {
    if (explored.traded.length > 0) break;
    const sample = await explore(options, other, MAX_PAIRS_PER_REQUIREMENT);
    if (sample.traded.length === 0) continue;
    requiredParameters = other;
    explored = await explore(options, requiredParameters, pairLimit);
  }
  const { traded, withoutPlan, nativeTokenUsdPrice } = explored;
  const addresses = addressKind(tokens, info);
  const requestedRouters = routersToRequest(info);
  const found = await findRouters(options, requestedRouters, traded, requiredParameters);
  return {
    chainId,
    addresses,
    pairs: traded,
    pairsWithoutPlan: withoutPlan,
    untriedPairs: explored.untried,
    ...found,
    ...(traded.length > 0 && { requestedRouters }),
    ...(options.user !== undefined && { user: options.user }),
    nativeTokenUsdPrice,
    ...(explored.hasUnreadableAmounts && { hasUnreadableAmounts: true }),
    ...(requiredParameters.length === 0 ? {} : { requiredParameters }),
  };
}

/**
 * Returns the parameters to add if a pair and an amount do not produce a plan: the default router
 * or a pool may be missing.
 */
function parametersToTry(info: ChainInfo | undefined): readonly RequiredParameters[] {
  const names = info?.routers.map(({ name }) => name) ?? [];
  const [router] = names.includes('default-router') ? [] : names;
  const named: RequiredParameters = router === undefined ? [] : [['router', router]];
  const ways: readonly RequiredParameters[] = [
    named,
    [['useRfq', 'true']],
    [...named, ['useRfq', 'true']],
  ];
  return router === undefined ? ways.slice(1, 2) : ways;
}

/**
 * A service may cache what it learns from its first request, such as the orders of market makers.
 */
async function requestWithRfq({ chainId, info, tokens, get }: MarketOptions): Promise<void> {
  const [sell, buy] = pickTokens(tokens, info, 2);
  if (sell === undefined || buy === undefined) return;
  const pair = { chainId, sellToken: sell.address, buyToken: buy.address };
  await get(targetFor('swap', { ...pair, sellAmount: 10n ** BigInt(sell.decimals), useRfq: true }));
}

type Explored = {
  readonly traded: readonly TradedPair[];
  readonly withoutPlan: ChainMarket['pairsWithoutPlan'];
  readonly untried: readonly TradedPair[];
  readonly nativeTokenUsdPrice: number | undefined;
  readonly hasUnreadableAmounts: boolean;
};

async function explore(
  { chainId, info, tokens, get, share, breadth }: MarketOptions,
  requiredParameters: RequiredParameters,
  pairLimit: number,
): Promise<Explored> {
  const assets = pickTokens(tokens, info, maxPerChain(breadth.tokens, share));
  const [usd] = assets;
  const quotes: Quote[] = [];
  const quote = async (sell: Asset, buy: Asset, sellAmount: bigint) => {
    const pair = { chainId, sellToken: sell.address, buyToken: buy.address, sellAmount };
    const more = Object.fromEntries(requiredParameters);
    const exchange = await get(targetFor('swap', { ...pair, ...more }));
    const reply = readQuote(exchange);
    if (reply !== undefined) quotes.push(reply);
    const status = (exchange && statusOf(exchange)) ?? 0;
    return reply ?? (status >= 400 && status < 500 ? 'rejected' : undefined);
  };
  await Promise.all(
    assets.map(async (asset) => {
      const other = asset === usd ? assets.find((each) => each !== usd) : usd;
      if (other !== undefined) await findPrice(asset, other, quote);
    }),
  );
  const listed = new Set(tokens.map(({ address }) => addressKey(address)));
  const priced = assets.map((asset) => withPriceAndDecimals(asset, quotes, listed));
  const nativeTokenUsdPrice = quotes.find((each) => each.nativeTokenUsdPrice)?.nativeTokenUsdPrice;
  const wrapped = info?.wrappedNativeTokenAddress;
  const native: Asset = {
    address: NATIVE_ALIASES[0],
    symbol: 'native',
    // The native token has the decimals of its wrapped token.
    decimals: priced.find((each) => hasAddress(each, wrapped))?.decimals ?? 18,
    usdPrice: nativeTokenUsdPrice,
    native: true,
  };
  const hubs = { usd: usd?.address, wrappedNative: wrapped };
  // The aliases of the native token are hex addresses, so they are not tried on a chain with other
  // addresses.
  const isHex = addressKind(tokens, info) === 'evm';
  const pairs = candidatePairs(priced, isHex ? native : undefined, hubs, pairLimit);
  const tried = await Promise.all(
    pairs.map(async ([sell, buy]) => ({ sell, buy, trade: await findTrade(sell, buy, quote) })),
  );
  return {
    traded: tried.flatMap(({ trade }) => (typeof trade === 'object' ? trade : [])),
    withoutPlan: tried.flatMap(({ sell, buy, trade }) =>
      trade === 'rejected' ? [[sell, buy] as const] : [],
    ),
    untried: untriedPairs(priced, isHex ? native : undefined, wrapped, pairs),
    nativeTokenUsdPrice,
    hasUnreadableAmounts: quotes.some(({ buyAmount }) => buyAmount === undefined),
  };
}

function untriedPairs(
  priced: readonly Asset[],
  native: Asset | undefined,
  wrapped: string | undefined,
  tried: readonly (readonly [sell: Asset, buy: Asset])[],
): readonly TradedPair[] {
  const all = native === undefined ? priced : [native, ...priced];
  const isOne = (sell: Asset, buy: Asset) =>
    sell === buy ||
    (sell.native && hasAddress(buy, wrapped)) ||
    (buy.native && hasAddress(sell, wrapped));
  const [usd = 100] = TRADE_SIZES_USD;
  return all.flatMap((sell) =>
    all
      .filter((buy) => !isOne(sell, buy) && !tried.some(([a, b]) => a === sell && b === buy))
      .map((buy) => ({
        sell,
        buy,
        sellAmount: baseUnitsWorth(usd, sell),
        buyAmount: baseUnitsWorth(usd, buy),
      })),
  );
}

function withPriceAndDecimals(
  asset: Asset,
  quotes: readonly Quote[],
  listed: ReadonlySet<string>,
): Asset {
  const key = addressKey(asset.address);
  const quoted = quotes.flatMap(({ tokens }) => tokens.get(key) ?? []);
  const usdPrice = quoted.find((each) => each.usdPrice !== undefined)?.usdPrice;
  const decimals = quoted.find((each) => each.decimals !== undefined)?.decimals;
  if (listed.has(key) || decimals === undefined) return { ...asset, usdPrice };
  return { ...asset, usdPrice, decimals };
}

type RequestQuote = (
  sell: Asset,
  buy: Asset,
  sellAmount: bigint,
) => Promise<Quote | 'rejected' | undefined>;

async function findPrice(sell: Asset, buy: Asset, quote: RequestQuote): Promise<void> {
  for (const shift of [0, -3, 3]) {
    const amount = 10n ** BigInt(Math.max(0, sell.decimals + shift));
    const reply = await quote(sell, buy, amount);
    if (typeof reply !== 'object') continue;
    if (reply.tokens.get(addressKey(sell.address))?.usdPrice !== undefined) return;
  }
}

/**
 * Returns the pair if any amount returned a plan. Returns `rejected` if every amount was rejected
 * with a 4xx status, and undefined otherwise.
 */
async function findTrade(
  sell: Asset,
  buy: Asset,
  quote: RequestQuote,
): Promise<TradedPair | 'rejected' | undefined> {
  let isRejected = true;
  for (const usd of TRADE_SIZES_USD) {
    const sellAmount = baseUnitsWorth(usd, sell);
    const reply = await quote(sell, buy, sellAmount);
    if (typeof reply === 'object') {
      const { buyAmount = baseUnitsWorth(usd, buy) } = reply;
      return { sell, buy, sellAmount, buyAmount };
    }
    isRejected &&= reply === 'rejected';
  }
  return isRejected ? 'rejected' : undefined;
}

/**
 * Returns the base units of an asset that are worth about the given number of US dollars. If the
 * price is unknown, assumes one dollar per token.
 */
export function baseUnitsWorth(
  usd: number,
  { usdPrice = 1, decimals }: Pick<Asset, 'usdPrice' | 'decimals'>,
): bigint {
  const units = (usd / Math.max(usdPrice, 1e-15)) * 10 ** decimals;
  if (!Number.isFinite(units) || units < 1) return 1n;
  // Two significant digits keep amounts readable.
  const digits = Math.max(0, Math.floor(Math.log10(units)) - 1);
  return BigInt(Math.round(units / 10 ** digits)) * 10n ** BigInt(digits);
}

function routersToRequest(info: ChainInfo | undefined): readonly RouterName[] {
  const listed = info?.routers.map(({ name }) => name) ?? ROUTER_NAMES;
  return [...new Set([...listed, 'default-router'] as const)];
}

async function findRouters(
  { chainId, info, tokens, get, user: userAddress = ACCOUNT_WITHOUT_FUNDS }: MarketOptions,
  names: readonly RouterName[],
  pairs: readonly TradedPair[],
  requiredParameters: RequiredParameters,
): Promise<Pick<ChainMarket, 'routers' | 'calldataRejection'>> {
  const withCalldata = { includeCalldata: true, userAddress, slippageTolerance: 0.01 } as const;
  const rejections = new Map<RouterName, string>();
  const found = await Promise.all(
    names.map(async (router) => {
      for (const { sell, buy, sellAmount } of pairs.slice(0, 4)) {
        const plain = {
          ...{ chainId, sellToken: sell.address, buyToken: buy.address, sellAmount },
          ...Object.fromEntries(requiredParameters),
          router,
        };
        if (readQuote(await get(targetFor('swap', plain))) === undefined) continue;
        // We have no wallet address for chains that are not EVM-like.
        if (addressKind(tokens, info) === 'other') return [router, 'plan'] as const;
        const exchange = await get(targetFor('swap', { ...plain, ...withCalldata }));
        if (readQuote(exchange) !== undefined) return [router, 'calldata'] as const;
        const status = exchange && statusOf(exchange);
        if (exchange !== undefined && status !== undefined && status !== 200) {
          rejections.set(router, describeAnswer(exchange));
        }
        return [router, 'plan'] as const;
      }
      return undefined;
    }),
  );
  const routers = new Map(found.filter((entry) => entry !== undefined));
  if ([...routers.values()].includes('calldata')) return { routers };
  // A router without an encoder can only reject such a request.
  const encoding = info?.routers.find(({ name, hasEncoder }) => hasEncoder && rejections.has(name));
  const [other] = rejections.keys();
  const calldataRejection = rejections.get(encoding?.name ?? other ?? 'default-router');
  return { routers, calldataRejection };
}

/**
 * Returns the kind of address that most of a chain's tokens have. One malformed address then does
 * not matter.
 */
export function addressKind(
  tokens: readonly ListedToken[],
  info: ChainInfo | undefined,
): ChainMarket['addresses'] {
  const addresses = tokens.map(({ address }) => address);
  if (info !== undefined) addresses.push(info.usdTokenAddress, info.wrappedNativeTokenAddress);
  const fitting = addresses.filter(isHexAddress).length;
  return fitting * 2 > addresses.length ? 'evm' : 'other';
}
