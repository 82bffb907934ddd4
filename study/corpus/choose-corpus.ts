import { sameAddress } from '../../conformance/checks/hex.ts';
import type { RouterName } from '../../conformance/contract/resources.ts';
import { baseUnitsWorth } from '../../conformance/discovery/discover-market.ts';
import type { Asset, ChainMarket, Facts, TradedPair } from '../../conformance/discovery/facts.ts';
import {
  pairsOf,
  SIDES,
  SWAP_KINDS,
} from '../../conformance/execution/requests/choose-requests.ts';
import { shuffle } from '../../conformance/generate/deck.ts';
import { calldataRoutersOf } from '../../conformance/generate/forms.ts';
import { createRandom, drawByRank } from '../../conformance/model/random.ts';
import type { StudyTrade } from '../model/measured-trade.ts';
import type { StudySettings } from '../model/settings.ts';

type CommonMarket = {
  readonly chainId: number;
  readonly market: ChainMarket;
  readonly routers: readonly RouterName[];
};

/**
 * Returns the common market of all services on a chain: the pairs that every service quoted, and
 * the routers for which every service returns calldata. If the services have no pair or no router
 * in common, uses the first service's pairs or routers. The replies of the other services are still
 * measured. Returns undefined if the first service trades nothing on the chain that can be settled.
 */
export function commonMarket(
  services: readonly Facts[],
  chainId: number,
): CommonMarket | undefined {
  const [first, ...others] = services.map(({ markets }) => markets.get(chainId));
  if (first === undefined) return undefined;
  const inAll = <Item>(
    items: readonly Item[],
    has: (market: ChainMarket, item: Item) => boolean,
  ) => {
    const common = items.filter((item) => others.every((other) => other && has(other, item)));
    return common.length === 0 ? items : common;
  };
  const priced = first.pairs.filter(({ sell, buy }) => sell.usdPrice && buy.usdPrice);
  const pairs = inAll(priced, (market, pair) => market.pairs.some((each) => isSame(each, pair)));
  const routers = inAll(calldataRoutersOf(first), (market, name) =>
    calldataRoutersOf(market).includes(name),
  );
  const market = { ...first, pairs };
  const isTraded = SIDES.some((side) => pairsOf(market, side).length > 0);
  return isTraded && routers.length > 0 ? { chainId, market, routers } : undefined;
}

function isSame(one: TradedPair, other: TradedPair): boolean {
  return isSameAsset(one.sell, other.sell) && isSameAsset(one.buy, other.buy);
}

function isSameAsset(one: Asset, other: Asset): boolean {
  return one.native === other.native && (one.native || sameAddress(one.address, other.address));
}

/**
 * Returns the trades of a study, in ladders with one trade per size. Ladders cycle through the
 * kinds of trades: every router, native token sold, bought or neither, exact input or output, with
 * or without market makers. Chains take turns. Pairs are drawn by rank: the n-th pair of a kind is
 * drawn 1/n as often as the first. A ladder omits sizes at which rounding could dominate. The same
 * seed results in the same trades.
 */
export function chooseCorpus(
  chains: readonly CommonMarket[],
  { seed, trades: wanted, sizes }: Pick<StudySettings, 'seed' | 'trades' | 'sizes'>,
): readonly StudyTrade[] {
  const random = createRandom(seed);
  const kinds = chains.map((chain) => shuffle(kindsOf(chain), random));
  const trades: StudyTrade[] = [];
  for (let ladder = 0; trades.length < wanted && chains.length > 0; ladder++) {
    const chain = chains[ladder % chains.length] as CommonMarket;
    const ofChain = kinds[ladder % chains.length] as readonly Kind[];
    const { side, ...form } = ofChain[Math.floor(ladder / chains.length) % ofChain.length] as Kind;
    const pairs = pairsOf(chain.market, side);
    const precise = pairs.filter((pair) => preciseSizes(pair, sizes).length > 0);
    const pair = drawByRank(precise.length > 0 ? precise : pairs, random()) as TradedPair;
    const sizesOfPair = precise.length > 0 ? preciseSizes(pair, sizes) : sizes.slice(-1);
    const given = form.swapKind === 'exact-input' ? pair.sell : pair.buy;
    for (const usd of sizesOfPair) {
      trades.push({
        id: trades.length,
        ladder,
        chainId: chain.chainId,
        rank: chain.market.pairs.indexOf(pair) + 1,
        sell: assetOf(pair.sell),
        buy: assetOf(pair.buy),
        ...form,
        usd,
        amount: String(baseUnitsWorth(usd, given)),
      });
    }
  }
  return trades;
}

/** Minimum base units of either token in a trade, so that one unit is at most 0.1 basis points. */
const MIN_BASE_UNITS = 100_000;

/** Returns the sizes at which rounding to a base unit of either token is negligible. */
function preciseSizes({ sell, buy }: TradedPair, sizes: readonly number[]): readonly number[] {
  const unitUsd = ({ usdPrice = 0, decimals }: Asset) => usdPrice / 10 ** decimals;
  const minUsd = MIN_BASE_UNITS * Math.max(unitUsd(sell), unitUsd(buy));
  // Prices are floats, so a size that is exact in theory may be off by one in the last digit.
  return sizes.filter((usd) => usd >= minUsd * (1 - 1e-9));
}

type Kind = Pick<StudyTrade, 'router' | 'swapKind' | 'useRfq'> & {
  readonly side: (typeof SIDES)[number];
};

function kindsOf({ market, routers }: CommonMarket): readonly Kind[] {
  const sides = SIDES.filter((side) => pairsOf(market, side).length > 0);
  return routers.flatMap((router) =>
    sides.flatMap((side) =>
      SWAP_KINDS.flatMap((swapKind) =>
        [false, true].map((useRfq) => ({ router, side, swapKind, useRfq })),
      ),
    ),
  );
}

function assetOf({ address, symbol, decimals, native }: Asset): StudyTrade['sell'] {
  return { address, symbol, decimals, native };
}
