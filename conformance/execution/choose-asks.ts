import type { ChainMarket, TradedPair } from '../discovery/facts.ts';
import { createDeck, createRandom, shuffle } from '../generate/deck.ts';
import { calldataRoutersOf } from '../generate/forms.ts';
import { RECIPIENT_ADDRESS, USER_ADDRESS } from '../generate/trades.ts';
import type { Ask } from './ask.ts';

/** Tolerances in steps of 0.0001: none at all, a usual one, and one that protects nothing. */
const TOLERANCES = [0, 50, 10_000] as const;
const SIDES = ['sells native', 'buys native', 'neither'] as const;
const TRADES = ['exact-input', 'exact-output'] as const;
const RECIPIENTS = [undefined, RECIPIENT_ADDRESS] as const;
/** Parts of the amount that a pair is known to trade at. */
const SCALES = [
  [1n, 1n],
  [1n, 7n],
  [2n, 1n],
  [1n, 100n],
] as const;

/** The account that makes every trade: no one holds its key. */
export const USER: `0x${string}` = USER_ADDRESS;

/**
 * Returns trades of every kind on one chain, `count` at most: each router,
 * native on either side and on neither, exact input and output, every
 * tolerance, recipient set and unset, in an order by which any few of them
 * differ in all. The same seed gives the same trades.
 */
export function chooseAsks(market: ChainMarket, seed: number, count: number): readonly Ask[] {
  const decks = SIDES.map((side) => {
    const pairs = market.pairs.filter((pair) => sideOf(pair) === side && !isWrapping(pair));
    return pairs.length === 0 ? undefined : createDeck(pairs, seed);
  });
  const scales = createDeck(SCALES, seed);
  const kinds = shuffle(kindsOf(market), createRandom(seed)).filter(({ side }) => decks[side]);
  return Array.from({ length: kinds.length === 0 ? 0 : count }, (_, index): Ask => {
    const { side, ...kind } = kinds[index % kinds.length] as Kind;
    const pair = decks[side]?.deal() as TradedPair;
    const [times, parts] = scales.deal();
    const whole = kind.trade === 'exact-input' ? pair.sellAmount : pair.buyAmount;
    const amount = (whole * times) / parts;
    const { sell, buy } = pair;
    const { chainId } = market;
    return { ...kind, chainId, sell, buy, amount: amount > 0n ? amount : 1n, user: USER };
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

/** Wrapping moves no price: it is traded, but what it is measured in is both sides at once. */
function isWrapping({ sell, buy }: TradedPair): boolean {
  return sell.native !== buy.native && `W${sell.symbol}` === buy.symbol;
}

function sideOf({ sell, buy }: TradedPair): (typeof SIDES)[number] {
  if (sell.native) return 'sells native';
  return buy.native ? 'buys native' : 'neither';
}
