import { API_PREFIX } from '../../conformance/contract/paths.ts';
import type { RouterName } from '../../conformance/contract/resources.ts';
import type { ChainMarket, Facts, TradedPair } from '../../conformance/discovery/facts.ts';
import { kindName, type MixEntry } from '../model/profile.ts';
import type { RequestKind, RequestMix, TargetTemplate } from './request-mix.ts';

/**
 * Returns the requests of a mix for a service: pairs that trade there, at amounts that the service
 * can fill. Also returns the mix entries for which no request was found.
 * @param fetchBuyAmount - Returns the buy amount of the service's plan; undefined if there is no
 * plan.
 */
export async function buildMix(
  entries: readonly MixEntry[],
  facts: Facts,
  seed: number,
  fetchBuyAmount: (
    chainId: number,
    pair: TradedPair,
    sellAmount: bigint,
  ) => Promise<bigint | undefined>,
) {
  const share = Math.max(MIN_PAIRS, Math.floor(MAX_PAIRS / facts.markets.size));
  const pairs = [...facts.markets.values()].flatMap((market) =>
    market.pairs.slice(0, share).map((pair) => ({ market, pair })),
  );
  const hasSwaps = entries.some(({ request }) => request === 'swap');
  const ranged = await Promise.all(
    (hasSwaps ? pairs : []).map(async ({ market, pair }): Promise<RangedPair> => {
      const fetch: FetchBuyAmount = (amount) => fetchBuyAmount(market.chainId, pair, amount);
      return { market, pair, range: await findAmountRange(pair, fetch) };
    }),
  );
  const kinds: RequestKind[] = [];
  const absent: MixEntry[] = [];
  for (const entry of entries) {
    const templates = templatesOf(entry, pairs, ranged, facts);
    if (templates.length === 0) absent.push(entry);
    else {
      kinds.push({
        endpoint: kindName(entry),
        weight: entry.weight,
        expect: entry.request === 'invalid' ? 'rejection' : 'success',
        templates,
        draw: entry.request === 'swap' ? 'by-rank' : 'evenly',
      });
    }
  }
  return { mix: { seed, kinds } satisfies RequestMix, absent };
}

type MarketPair = { readonly market: ChainMarket; readonly pair: TradedPair };
type RangedPair = MarketPair & { readonly range: AmountRange };

function templatesOf(
  entry: MixEntry,
  pairs: readonly MarketPair[],
  ranged: readonly RangedPair[],
  facts: Facts,
): TargetTemplate[] {
  const chainIds = [...facts.markets.keys()];
  switch (entry.request) {
    case 'chains':
      return [{ target: `${API_PREFIX}/chains?${KEY}` }];
    case 'tokens':
    case 'chainInfo':
      return chainIds.map((id) => ({
        target: `${API_PREFIX}/${entry.request}?chainId=${id}&${KEY}`,
      }));
    case 'invalid':
      return pairs.slice(0, 1).flatMap(({ market, pair }) =>
        brokenRequests(market.chainId, pair).map((query) => ({
          target: `${API_PREFIX}/swap?${query}&${KEY}`,
        })),
      );
    case 'swap':
      return ranged
        .filter(({ market, pair }) => isRequested(entry, market, pair))
        .map((each) => swapTemplate(entry, each));
  }
}

function isRequested(entry: MixEntry, market: ChainMarket, { sell, buy }: TradedPair): boolean {
  const native = sell.native ? 'sell' : buy.native ? 'buy' : 'neither';
  if ((entry.native ?? 'neither') !== native) return false;
  if (entry.calldata) return calldataRouter(entry, market) !== undefined;
  return entry.router === undefined || market.routers.has(entry.router);
}

/**
 * Returns the router for requests with calldata: that of the entry, else the default router, else
 * any other, if it returned calldata.
 */
function calldataRouter({ router }: MixEntry, { routers }: ChainMarket): RouterName | undefined {
  const encoding = [...routers].flatMap(([name, kind]) => (kind === 'calldata' ? [name] : []));
  const wanted = router ?? 'default-router';
  if (encoding.includes(wanted)) return wanted;
  return router === undefined ? encoding[0] : undefined;
}

function swapTemplate(entry: MixEntry, ranged: RangedPair): TargetTemplate {
  const { market, pair, range } = ranged;
  const exactOutput = entry.trade === 'exact-output';
  const [smallest, largest] = exactOutput ? range.buy : range.sell;
  const before = [
    `chainId=${market.chainId}`,
    `sellToken=${pair.sell.address}`,
    `buyToken=${pair.buy.address}`,
    `${exactOutput ? 'buyAmount' : 'sellAmount'}=`,
  ].join('&');
  const encoding = entry.calldata ? calldataRouter(entry, market) : undefined;
  const router = encoding === 'default-router' ? entry.router : (encoding ?? entry.router);
  const after = [
    '',
    ...(entry.rfq ? ['useRfq=true'] : []),
    ...(router === undefined ? [] : [`router=${router}`]),
    ...(entry.calldata
      ? ['includeCalldata=true', `userAddress=${market.user ?? USER}`, 'slippageTolerance=0.005']
      : []),
    KEY,
  ].join('&');
  return {
    before: `${API_PREFIX}/swap?${before}`,
    amountLog10: [log10(smallest), log10(largest) - EDGE_LOG10],
    after,
  };
}

function log10(amount: bigint): number {
  const digits = amount.toString();
  return digits.length - 1 + Math.log10(Number(`${digits[0]}.${digits.slice(1, 16)}0`));
}

// The key is added when a request is sent.
const KEY = 'apiKey=';
// Maximum number of pairs on all chains together, unless `MIN_PAIRS` per chain add up to more.
const MAX_PAIRS = 48;
const MIN_PAIRS = 8;
// Margin below the largest amount that returned a plan.
const EDGE_LOG10 = 0.05;
// No transaction is sent, so any account works for most services.
const USER = `0x${'1'.repeat(40)}`;

type AmountRange = {
  readonly sell: readonly [smallest: bigint, largest: bigint];
  readonly buy: readonly [smallest: bigint, largest: bigint];
};

type FetchBuyAmount = (sellAmount: bigint) => Promise<bigint | undefined>;

/**
 * Searches in factors of ten around the amount that discovery traded, at most four steps up and
 * four down. Stops if a step up buys hardly more, or a step down buys almost nothing.
 */
async function findAmountRange(
  { sellAmount, buyAmount }: TradedPair,
  fetchBuyAmount: FetchBuyAmount,
): Promise<AmountRange> {
  const known = { sell: sellAmount, buy: buyAmount };
  const [smallest, largest] = await Promise.all([
    findSmallest(known, fetchBuyAmount),
    findLargest(known, fetchBuyAmount),
  ]);
  return { sell: [smallest.sell, largest.sell], buy: [smallest.buy, largest.buy] };
}

type KnownTrade = { readonly sell: bigint; readonly buy: bigint };

async function findLargest(known: KnownTrade, fetchBuyAmount: FetchBuyAmount): Promise<KnownTrade> {
  let largest = known;
  for (let decade = 0; decade < MAX_DECADES; decade++) {
    const sell = largest.sell * 10n;
    const buy = await fetchBuyAmount(sell);
    // If ten times the amount buys less than 10% more, the liquidity is almost used up.
    if (buy === undefined || buy * 10n < largest.buy * 11n) break;
    largest = { sell, buy };
  }
  return largest;
}

async function findSmallest(
  known: KnownTrade,
  fetchBuyAmount: FetchBuyAmount,
): Promise<KnownTrade> {
  let smallest = known;
  for (let decade = 0; decade < MAX_DECADES; decade++) {
    const sell = smallest.sell / 10n;
    if (sell < 10n) break;
    const buy = await fetchBuyAmount(sell);
    if (buy === undefined || buy < 10n) break;
    smallest = { sell, buy };
  }
  return smallest;
}

const MAX_DECADES = 4;

/**
 * Returns queries that each clearly break one parameter rule of /swap (4.1). The key is added
 * later.
 */
function brokenRequests(chainId: number, { sell, buy, sellAmount }: TradedPair): string[] {
  const right = {
    chainId: String(chainId),
    sellToken: sell.address,
    buyToken: buy.address,
    sellAmount: String(sellAmount),
  };
  const wrong: Record<string, string | undefined>[] = [
    { chainId: undefined },
    { sellToken: undefined },
    { buyToken: undefined },
    { sellAmount: undefined },
    { buyAmount: '1000' },
    { sellAmount: '0' },
    { sellAmount: '-1' },
    { sellAmount: '1.5' },
    { chainId: 'one' },
    { router: 'no-such-router' },
    { includeCalldata: 'true' },
    { slippageTolerance: '1.5', includeCalldata: 'true', userAddress: `0x${'1'.repeat(40)}` },
  ];
  return wrong.map((change) =>
    Object.entries({ ...right, ...change })
      .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]))
      .join('&'),
  );
}
