import { NATIVE_ALIASES } from '../contract/resources.ts';
import type { Asset, ChainMarket, TradedPair } from '../discovery/facts.ts';
import { createDeck, createRandom, shuffle } from '../generate/deck.ts';
import { calldataRoutersOf } from '../generate/forms.ts';
import { RECIPIENT_ADDRESS, USER_ADDRESS } from '../generate/trades.ts';
import type { Ask } from './ask.ts';

/** Tolerances in steps of 0.0001: none at all, a usual one, and one that protects nothing. */
const TOLERANCES = [0, 50, 10_000] as const;
/** Where native stands in a trade. */
export const SIDES = ['sells native', 'buys native', 'neither'] as const;
const TRADES = ['exact-input', 'exact-output'] as const;
const RECIPIENTS = [undefined, RECIPIENT_ADDRESS] as const;
/** Parts of the amount that a pair is known to trade at. */
const SCALES = [
  [1n, 1n],
  [1n, 7n],
  [2n, 1n],
  [1n, 100n],
  [20n, 1n],
  [1n, 10_000n],
] as const;

/** The account that makes every trade: no one holds its key. */
export const USER: `0x${string}` = USER_ADDRESS;

/** Another account, which makes none. */
export const OTHER_USER: `0x${string}` = '0x00000000000000000000000000000000c0ffee03';

/**
 * Returns trades of every kind on one chain, `count` at most: each router,
 * native on either side and on neither, exact input and output, every
 * tolerance, recipient set and unset, in an order by which any few of them
 * differ in all. The same seed gives the same trades.
 */
export function chooseAsks(market: ChainMarket, seed: number, count: number): readonly Ask[] {
  const decks = SIDES.map((side) => {
    const pairs = pairsOf(market, side);
    return pairs.length === 0 ? undefined : createDeck(pairs, seed);
  });
  const scales = createDeck(SCALES, seed);
  const aliases = createDeck(NATIVE_ALIASES, seed);
  const kinds = shuffle(kindsOf(market), createRandom(seed)).filter(({ side }) => decks[side]);
  return Array.from({ length: kinds.length === 0 ? 0 : count }, (_, index): Ask => {
    const { side, ...kind } = kinds[index % kinds.length] as Kind;
    const pair = decks[side]?.deal() as TradedPair;
    const [times, parts] = scales.deal();
    const whole = kind.trade === 'exact-input' ? pair.sellAmount : pair.buyAmount;
    const amount = (whole * times) / parts;
    const { chainId, standing } = market;
    return {
      ...kind,
      chainId,
      standing,
      sell: spellNative(pair.sell, aliases.deal()),
      buy: spellNative(pair.buy, aliases.deal()),
      amount: amount > 0n ? amount : 1n,
      user: USER,
    };
  });
}

type Kind = Pick<Ask, 'router' | 'trade' | 'slippageBps' | 'recipient'> & { readonly side: number };

function kindsOf(market: ChainMarket): readonly Kind[] {
  return calldataRoutersOf(market).flatMap((router) =>
    SIDES.flatMap((_, side) =>
      TRADES.flatMap((trade) =>
        TOLERANCES.flatMap((slippageBps) =>
          RECIPIENTS.map((recipient) => ({ router, side, trade, slippageBps, recipient })),
        ),
      ),
    ),
  );
}

/** Returns the pairs of a chain with native where it is wanted; native for its wrapped token is not among them. */
export function pairsOf({ pairs }: ChainMarket, side: (typeof SIDES)[number]): TradedPair[] {
  return pairs.filter((pair) => sideOf(pair) === side && !isWrapping(pair));
}

function spellNative(asset: Asset, alias: string): Asset {
  return asset.native ? { ...asset, address: alias } : asset;
}

/** Wrapping moves no price: it is traded, but what it is measured in is both sides at once. */
function isWrapping({ sell, buy }: TradedPair): boolean {
  return sell.native !== buy.native && `W${sell.symbol}` === buy.symbol;
}

function sideOf({ sell, buy }: TradedPair): (typeof SIDES)[number] {
  if (sell.native) return 'sells native';
  return buy.native ? 'buys native' : 'neither';
}
