import type { RouterName } from '../../conformance/contract/resources.ts';
import { baseUnitsWorth } from '../../conformance/discovery/discover-market.ts';
import type { Asset, ChainMarket, Facts, TradedPair } from '../../conformance/discovery/facts.ts';
import { pairsOf, SIDES, SWAP_KINDS } from '../../conformance/execution/choose-requests.ts';
import { shuffle } from '../../conformance/generate/deck.ts';
import { calldataRoutersOf } from '../../conformance/generate/forms.ts';
import { createRandom } from '../../conformance/model/random.ts';
import type { StudyTrade } from '../model/measured-trade.ts';
import type { StudySettings } from '../model/settings.ts';

/** The market of a chain that all compared services have in common. */
type CommonMarket = {
  readonly chainId: number;
  /** The first service's pairs, in its order. */
  readonly market: ChainMarket;
  readonly routers: readonly RouterName[];
};

/**
 * Returns the common market of all services on a chain: the pairs that each quoted and the
 * routers for which each returns calldata. If they have none in common, returns
 * those of the first; the replies of the others are measured too. Undefined if
 * the first trades nothing there that can be settled.
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
  const lower = ({ address }: Asset) => address.toLowerCase();
  return one.native === other.native && (one.native || lower(one) === lower(other));
}

/**
 * Returns the trades of a study: ladders with one trade per size, each ladder of
 * another kind (router, native sold, bought or neither, exact input or output, with
 * market makers or without). Chains take turns, and pairs are drawn by rank: the
 * n-th of a kind 1/n as often as the first. The same seed gives the same trades.
 */
export function chooseCorpus(
  chains: readonly CommonMarket[],
  { seed, trades, sizes }: Pick<StudySettings, 'seed' | 'trades' | 'sizes'>,
): readonly StudyTrade[] {
  const random = createRandom(seed);
  const kinds = chains.map((chain) => shuffle(kindsOf(chain), random));
  const ladders = Array.from({ length: Math.ceil(trades / sizes.length) }, (_, ladder) => {
    const chain = chains[ladder % chains.length] as CommonMarket;
    const ofChain = kinds[ladder % chains.length] as readonly Kind[];
    const kind = ofChain[Math.floor(ladder / chains.length) % ofChain.length] as Kind;
    return { ladder, kind, chain, pair: drawByRank(pairsOf(chain.market, kind.side), random) };
  });
  return ladders.flatMap(({ ladder, kind, chain, pair }) =>
    sizes.map((usd, at): StudyTrade => {
      const { side: _, ...form } = kind;
      const given = form.swapKind === 'exact-input' ? pair.sell : pair.buy;
      return {
        id: ladder * sizes.length + at,
        ladder,
        chainId: chain.chainId,
        rank: chain.market.pairs.indexOf(pair) + 1,
        sell: assetOf(pair.sell),
        buy: assetOf(pair.buy),
        ...form,
        usd,
        amount: String(baseUnitsWorth(usd, given)),
      };
    }),
  );
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

function drawByRank(pairs: readonly TradedPair[], random: () => number): TradedPair {
  const weights = pairs.map((_, at) => 1 / (at + 1));
  let left = random() * weights.reduce((sum, weight) => sum + weight, 0);
  const at = weights.findIndex((weight) => {
    left -= weight;
    return left <= 0;
  });
  return pairs[at === -1 ? pairs.length - 1 : at] as TradedPair;
}

function assetOf({ address, symbol, decimals, native }: Asset): StudyTrade['sell'] {
  return { address, symbol, decimals, native };
}
