import { getAddress } from 'viem';
import { isHexAddress } from '../checks/hex.ts';
import type { RequestTarget } from '../client/request.ts';
import { NATIVE_ALIASES } from '../contract/names.ts';
import type { Asset, ChainMarket, TradedPair } from '../discovery/facts.ts';
import { createDeck, type Deck, shuffle } from '../generate/deck.ts';
import { calldataRoutersOf } from '../generate/forms.ts';
import { createRandom } from '../model/random.ts';
import { type Address, type TradeRequest, targetOf } from '../model/trade-request.ts';

/** Tolerances in steps of 0.0001: none at all, usual ones, and wide ones up to what protects nothing. */
const TOLERANCES = [[0], [50, 1, 5, 10, 20, 100], [10_000, 500, 2_000, 5_000, 9_000]] as const;
const ONE_PERCENT_BPS = 100;
/** Where native stands in a trade. */
export const SIDES = ['sells native', 'buys native', 'neither'] as const;
/** Which amount a trade fixes. */
export const SWAP_KINDS = ['exact-input', 'exact-output'] as const;
/** A recipient may be the user. */
const RECIPIENTS = [
  '0x4ee8c3b393f1afb2e0d6e3079ab00df1b9711024',
  '0xbf145ed83f985d78a0a56241a0efb5c2853e449f',
] as const;
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

/** More than what is kept in 96 bits. */
const MORE_THAN_96_BITS = (1n << 96n) + 1n;
/** Where such an amount is so many times what a pair is known to trade at, no service has a plan. */
const MOST_TIMES = 100_000n;
const LARGE_TRADE_USD = 60_000;
const SMALL = 10_000n;
/** Of so many trades one is small, one large, and one beyond 96 bits, where the token has units enough. */
const RARE = 12;
/** Of so many trades one takes a shape that few plans have, and one a token of a kind that few are of. */
const SHAPED = 4;
const ODD_AT = 2;

/** The account that makes every trade, all 20 bytes of it in use: no one holds its key. */
export const USER: Address = RECIPIENTS[1];

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

/** A pair at an amount for which a router's plan was seen to be of a shape that few plans have. */
export type ShapedPair = Pick<TradeForm, 'router'> & {
  readonly pair: TradedPair;
  readonly shape: string;
};

/**
 * Returns trades of every kind on one chain, `count` at most: each router,
 * native on either side and on neither, exact input and output, no tolerance, a
 * usual and a wide one, recipient set and unset, every third with market makers,
 * in an order by which any few of them differ in all, each spelled in its own
 * way. Some are large; a fourth are of pairs whose plans were seen to split or
 * to join, the shapes taking turns; another fourth are of tokens of each number of
 * decimals, and of each oddity, in turn. The same seed gives the same trades.
 */
export function chooseRequests(
  market: ChainMarket,
  seed: number,
  count: number,
  shaped: readonly ShapedPair[] = [],
  oddities: ReadonlyMap<Address, readonly string[]> = new Map(),
): readonly TradeRequest[] {
  const odd = SIDES.map((side) => decksByKind(pairsOf(market, side), oddities, seed));
  const decks = SIDES.map((side) => {
    const pairs = pairsOf(market, side);
    return pairs.length === 0 ? undefined : createDeck(pairs, seed);
  });
  const shapes = [...new Set(shaped.map(({ shape }) => shape))].map((shape) =>
    shapedDecks(
      shaped.filter((each) => each.shape === shape),
      seed,
    ),
  );
  const scales = createDeck(SCALES, seed);
  const usesRfq = createDeck(USES_RFQ, seed);
  const aliases = createDeck(NATIVE_ALIASES, seed);
  const tolerances = TOLERANCES.map((each) => createDeck(each, seed));
  const recipients = createDeck(RECIPIENTS, seed);
  const kinds = shuffle(kindsOf(market), createRandom(seed)).filter(({ side }) => decks[side]);
  return Array.from({ length: kinds.length === 0 ? 0 : count }, (_, index): TradeRequest => {
    const { side, tolerance, isPaidApart, ...form } = kinds[index % kinds.length] as Kind;
    // Kinds come again after a multiple of all that takes turns: one further each time, so that they meet others.
    const turn = index + Math.floor(index / kinds.length);
    const isShaped = turn % SHAPED === 0;
    const shape = isShaped ? shapes[(turn / SHAPED) % shapes.length]?.(form.router) : undefined;
    const kind = turn % SHAPED === ODD_AT ? odd[side]?.shift() : undefined;
    if (kind !== undefined) odd[side]?.push(kind);
    const pair = shape?.pair ?? kind?.deal() ?? (decks[side]?.deal() as TradedPair);
    const whole = tradePair(market, pair, {
      ...form,
      slippageBps: tolerances[tolerance]?.deal(),
      recipient: isPaidApart ? recipients.deal() : undefined,
    });
    return {
      ...whole,
      sell: spellNative(whole.sell, aliases.deal()),
      buy: spellNative(whole.buy, aliases.deal()),
      amount: shape === undefined ? amountOf(whole, turn, scales.deal()) : whole.amount,
      spelling: seed + index,
      ...(usesRfq.deal() && { useRfq: true }),
    };
  });
}

/** Returns what deals pairs that take a shape through a router, or where none was seen to, through another. */
function shapedDecks(
  shaped: readonly ShapedPair[],
  seed: number,
): (router: TradeForm['router']) => ShapedPair {
  const any = createDeck(shaped, seed);
  const byRouter = new Map(
    shaped.map(({ router }) => [
      router,
      createDeck(
        shaped.filter((each) => each.router === router),
        seed,
      ),
    ]),
  );
  return (router) => (byRouter.get(router) ?? any).deal();
}

/** Returns a deck of pairs for each kind of token that some of them trade. */
function decksByKind(
  pairs: readonly TradedPair[],
  oddities: ReadonlyMap<Address, readonly string[]>,
  seed: number,
): Deck<TradedPair>[] {
  const byKind = new Map<string, TradedPair[]>();
  for (const pair of pairs) {
    const kinds = [pair.sell, pair.buy].flatMap(({ native, decimals, address }) =>
      native
        ? []
        : [`${decimals} decimals`, ...(oddities.get(address.toLowerCase() as Address) ?? [])],
    );
    for (const kind of new Set(kinds)) byKind.set(kind, [...(byKind.get(kind) ?? []), pair]);
  }
  return [...byKind.values()].map((each) => createDeck(each, seed));
}

/** An amount off the one that a pair is known to trade at: now and then a large one, or one of more than 96 bits. */
function amountOf(
  { sell, buy, swapKind, amount }: TradeRequest,
  turn: number,
  [times, parts]: (typeof SCALES)[number],
): bigint {
  const { usdPrice, decimals } = swapKind === 'exact-input' ? sell : buy;
  if (turn % RARE === 5 && usdPrice !== undefined && usdPrice > 0) {
    return (
      (BigInt(Math.ceil((LARGE_TRADE_USD / usdPrice) * 1e9)) * 10n ** BigInt(decimals)) / 10n ** 9n
    );
  }
  if (turn % RARE === 11 && amount * MOST_TIMES > MORE_THAN_96_BITS) {
    return amount > MORE_THAN_96_BITS ? amount : MORE_THAN_96_BITS;
  }
  const scaled = turn % RARE === 2 ? amount / SMALL : (amount * times) / parts;
  return scaled > 0n ? scaled : 1n;
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

type Kind = ReturnType<typeof kindsOf>[number];

function kindsOf(market: ChainMarket) {
  return calldataRoutersOf(market).flatMap((router) =>
    SIDES.flatMap((_, side) =>
      SWAP_KINDS.flatMap((swapKind) =>
        TOLERANCES.flatMap((_, tolerance) =>
          [false, true].map((isPaidApart) => ({ router, side, swapKind, tolerance, isPaidApart })),
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

/** How clients write addresses: in lower case, with the letters that EIP-55 says, and all in capitals. */
const LETTERS: readonly ((address: string) => string)[] = [
  (address) => address,
  (address) => getAddress(address.toLowerCase()),
  (address) => `0x${address.slice(2).toUpperCase()}`,
];

/** What is asked for, in the order of the specification. */
const NAMES = [
  ...['chainId', 'sellToken', 'buyToken', 'sellAmount', 'buyAmount', 'useRfq', 'router'],
  ...['includeCalldata', 'userAddress', 'recipientAddress', 'slippageTolerance'],
];

/**
 * Returns a request as one of the world's clients spells it, by its seed:
 * addresses in other letters, parameters in another order, and half of those
 * for the default router without its name. It means the same. One that differs in
 * a parameter differs in nothing else: who keeps replies by the text of all others
 * is found out.
 */
export function spelledTarget(request: TradeRequest): RequestTarget {
  const { path, query } = targetOf(request);
  const { spelling, router, requiredParameters = [] } = request;
  if (spelling === undefined || typeof query === 'string') return { path, query };
  const random = createRandom(spelling);
  const letters = LETTERS[Math.floor(random() * LETTERS.length)] ?? LETTERS[0];
  const isUnnamed =
    random() < 0.5 &&
    router === 'default-router' &&
    !requiredParameters.some(([name]) => name === 'router');
  const spelled = query
    .filter(([name]) => !isUnnamed || name !== 'router')
    .map(([name, value]): readonly [string, string] => {
      const isSpelled = isHexAddress(value) && !NATIVE_ALIASES.some((alias) => alias === value);
      return [name, isSpelled ? (letters?.(value) ?? value) : value];
    });
  const order = shuffle(NAMES, random);
  const inOrder = spelled.toSorted(([one], [other]) => order.indexOf(one) - order.indexOf(other));
  return { path, query: inOrder };
}
