import { NATIVE_ALIASES } from '../contract/names.ts';
import type { Asset, ChainMarket, TradedPair } from '../discovery/facts.ts';
import { createDeck, createRandom, shuffle } from '../generate/deck.ts';
import { calldataRoutersOf } from '../generate/forms.ts';
import { RECIPIENT_ADDRESS, USER_ADDRESS } from '../generate/trades.ts';
import type { Address, TradeRequest } from '../model/trade-request.ts';

/** Tolerances in steps of 0.0001: none at all, a usual one, and one that protects nothing. */
const TOLERANCES = [0, 50, 10_000] as const;
const ONE_PERCENT_BPS = 100;
/** Where native stands in a trade. */
export const SIDES = ['sells native', 'buys native', 'neither'] as const;
/** Which amount a trade fixes. */
export const SWAP_KINDS = ['exact-input', 'exact-output'] as const;
const RECIPIENTS = [undefined, RECIPIENT_ADDRESS] as const;
/** How often market makers are to be asked too. */
const USES_RFQ = [true, false, false] as const;
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
export const USER: Address = USER_ADDRESS;

/** Another account, which makes none. */
export const OTHER_USER: Address = '0x00000000000000000000000000000000c0ffee03';

export type TradeForm = Pick<
  TradeRequest,
  'router' | 'swapKind' | 'slippageBps' | 'recipient' | 'useRfq'
>;

/** Returns a trade of a pair at the amount that it is known to trade at. */
export function tradePair(market: ChainMarket, pair: TradedPair, form: TradeForm): TradeRequest {
  const { chainId, requiredParameters } = market;
  const { sell, buy, sellAmount, buyAmount } = pair;
  const amount = form.swapKind === 'exact-input' ? sellAmount : buyAmount;
  return { ...form, chainId, requiredParameters, sell, buy, amount, user: USER };
}

/**
 * Returns trades of every kind on one chain, `count` at most: each router,
 * native on either side and on neither, exact input and output, every
 * tolerance, recipient set and unset, every third with market makers, in an order by which any few of them
 * differ in all. The same seed gives the same trades.
 */
export function chooseRequests(
  market: ChainMarket,
  seed: number,
  count: number,
): readonly TradeRequest[] {
  const decks = SIDES.map((side) => {
    const pairs = pairsOf(market, side);
    return pairs.length === 0 ? undefined : createDeck(pairs, seed);
  });
  const scales = createDeck(SCALES, seed);
  const usesRfq = createDeck(USES_RFQ, seed);
  const aliases = createDeck(NATIVE_ALIASES, seed);
  const kinds = shuffle(kindsOf(market), createRandom(seed)).filter(({ side }) => decks[side]);
  return Array.from({ length: kinds.length === 0 ? 0 : count }, (_, index): TradeRequest => {
    const { side, ...form } = kinds[index % kinds.length] as Kind;
    const whole = tradePair(market, decks[side]?.deal() as TradedPair, form);
    const [times, parts] = scales.deal();
    const amount = (whole.amount * times) / parts;
    return {
      ...whole,
      sell: spellNative(whole.sell, aliases.deal()),
      buy: spellNative(whole.buy, aliases.deal()),
      amount: amount > 0n ? amount : 1n,
      ...(usesRfq.deal() && { useRfq: true }),
    };
  });
}

/**
 * Returns for each trade with calldata for its own sender one that differs from
 * it in one thing, the things taking turns: who makes it, who receives, its
 * tolerance, its amount, or native for the wrapped token.
 */
export function varyRequests(
  requests: readonly TradeRequest[],
  wrappedNative: Address | undefined,
): readonly TradeRequest[] {
  const wrap = (asset: Asset): Asset =>
    asset.native && wrappedNative !== undefined
      ? { ...asset, address: wrappedNative, native: false }
      : asset;
  const changes: readonly ((request: TradeRequest) => Partial<TradeRequest>)[] = [
    () => ({ user: OTHER_USER }),
    ({ recipient }) => ({ recipient: recipient === undefined ? OTHER_USER : undefined }),
    ({ slippageBps }) => ({ slippageBps: slippageBps === 0 ? ONE_PERCENT_BPS : 0 }),
    ({ amount }) => ({ amount: (amount + 1n) / 2n }),
    ({ sell, buy }) => ({ sell: wrap(sell), buy: wrap(buy) }),
  ];
  return requests
    .filter(({ slippageBps, wallet }) => slippageBps !== undefined && wallet === undefined)
    .map((request, index) => ({ ...request, ...changes[index % changes.length]?.(request) }));
}

type Kind = TradeForm & { readonly side: number };

function kindsOf(market: ChainMarket): readonly Kind[] {
  return calldataRoutersOf(market).flatMap((router) =>
    SIDES.flatMap((_, side) =>
      SWAP_KINDS.flatMap((swapKind) =>
        TOLERANCES.flatMap((slippageBps) =>
          RECIPIENTS.map((recipient) => ({ router, side, swapKind, slippageBps, recipient })),
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
