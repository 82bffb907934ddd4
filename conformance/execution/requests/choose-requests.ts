import { getAddress } from 'viem';
import { isHexAddress } from '../../checks/hex.ts';
import type { RequestTarget } from '../../client/request.ts';
import { NATIVE_ALIASES } from '../../contract/names.ts';
import type { Asset, ChainMarket, TradedPair } from '../../discovery/facts.ts';
import { createDeck, createStratifiedDeal, type Deck, shuffle } from '../../generate/deck.ts';
import { calldataRoutersOf } from '../../generate/forms.ts';
import { groupBy } from '../../model/group-by.ts';
import { createRandom } from '../../model/random.ts';
import { type Address, type TradeRequest, targetOf } from '../../model/trade-request.ts';
import type { Accounts } from '../scenario/accounts.ts';

/**
 * Slippage tolerances in steps of 0.0001: zero, common tolerances, and wide ones. The widest gives
 * no protection.
 */
const TOLERANCES = [[0], [50, 1, 5, 10, 20, 100], [10_000, 500, 2_000, 5_000, 9_000]] as const;
const ONE_PERCENT_BPS = 100;
/** Sides of a trade on which the native token may be. */
export const SIDES = ['sells native', 'buys native', 'neither'] as const;
export const SWAP_KINDS = ['exact-input', 'exact-output'] as const;
/** Each recipient, other than the user, occurs twice as often as the user. */
const RECIPIENTS = ['recipient', 'recipient', 'user'] as const;
const USES_RFQ = [true, false, false] as const;
const SCALES = [
  [1n, 1n],
  [1n, 7n],
  [2n, 1n],
  [1n, 100n],
  [20n, 1n],
  [1n, 10_000n],
] as const;

const AMOUNTS = [
  ...['scaled', 'scaled', 'scaled', 'scaled', 'scaled'],
  ...['small', 'large', 'scaled'],
] as const;
/** Trades with some tokens may exceed 2^96 base units. */
const AMOUNTS_BEYOND = ['beyond 96 bits', 'scaled'] as const;
const SMALL_PARTS = 10_000n;
const LARGE_TRADE_USD = 60_000;
const BEYOND_96_BITS = (1n << 96n) + 1n;
/** Maximum multiple of a pair's usual amount for which a service may have a plan. */
const MAX_TIMES = 100_000n;
/**
 * Each entry selects a pair: a pair whose plan splits the sold amount or has another rare shape, a
 * pair with a rare token, or any pair.
 */
const PAIRS = ['split', 'split', 'rare shape', 'rare token', 'rare token', 'any'] as const;

export type TradeForm = Pick<
  TradeRequest,
  'router' | 'swapKind' | 'slippageBps' | 'recipient' | 'useRfq' | 'user'
>;

/** Returns a trade of a pair at its usual amount. */
export function tradePair(market: ChainMarket, pair: TradedPair, form: TradeForm): TradeRequest {
  const { chainId, requiredParameters } = market;
  const { sell, buy, sellAmount, buyAmount } = pair;
  const amount = form.swapKind === 'exact-input' ? sellAmount : buyAmount;
  return { ...form, chainId, requiredParameters, sell, buy, amount };
}

/** Shapes that few plans have. */
export type Shape = 'split' | 'splits a token between' | 'joins a token between' | 'many routes';

/** A pair at amounts for which a router's plan has a rare shape. */
export type ShapedPair = Pick<TradeForm, 'router'> & {
  readonly pair: TradedPair;
  readonly shape: Shape;
};

/**
 * Returns up to `count` trades of every kind on one chain: each router, the native token on either
 * side and on neither, exact input and output, three kinds of tolerance, and the recipient set and
 * unset. The kinds are in random order, so that even a few trades differ in every respect. Each
 * router and swap kind gets an equal share of everything else that may matter: rare shapes of
 * plans, kinds of tokens, aliases of the native token, recipients, market makers, and unusual
 * amounts. Each request has its own format. The same seed returns the same trades.
 */
export function chooseRequests(
  market: ChainMarket,
  { seed, accounts }: { readonly seed: number; readonly accounts: Accounts },
  count: number,
  shaped: readonly ShapedPair[] = [],
): readonly TradeRequest[] {
  const dealPair = createPairDealer(market, seed, shaped);
  const dealScale = createStratifiedDeal(SCALES, seed);
  const dealUsual = createStratifiedDeal(AMOUNTS, seed);
  const dealBeyond = createStratifiedDeal(AMOUNTS_BEYOND, seed);
  const dealAmount = ({ amount, swapKind }: TradeRequest) =>
    amount * MAX_TIMES > BEYOND_96_BITS ? dealBeyond(swapKind) : dealUsual(swapKind);
  const dealRfq = createStratifiedDeal(USES_RFQ, seed);
  const dealAlias = createStratifiedDeal(NATIVE_ALIASES, seed);
  const dealRecipient = createStratifiedDeal(RECIPIENTS, seed);
  const dealTolerance = TOLERANCES.map((each) => createStratifiedDeal<number>(each, seed));
  const kinds = shuffle(kindsOf(market), createRandom(seed)).filter(
    ({ side }) => pairsOf(market, side).length > 0,
  );
  return Array.from({ length: kinds.length === 0 ? 0 : count }, (_, index): TradeRequest => {
    const kind = kinds[index % kinds.length] as Kind;
    const { side, tolerance, hasRecipient, ...form } = kind;
    const { router, swapKind } = form;
    const { pair, isShaped } = dealPair(kind);
    const whole = tradePair(market, pair, {
      ...form,
      slippageBps: dealTolerance[tolerance]?.(router, swapKind, isShaped),
      recipient: hasRecipient ? accounts[dealRecipient(router, swapKind, side)] : undefined,
      user: accounts.user,
    });
    const alias = dealAlias(router, sideOf(whole));
    return {
      ...whole,
      sell: withAlias(whole.sell, alias),
      buy: withAlias(whole.buy, alias),
      amount: isShaped ? whole.amount : amountOf(whole, dealAmount(whole), dealScale(swapKind)),
      notationSeed: seed + index,
      ...(dealRfq(router) && { useRfq: true }),
    };
  });
}

export type Side = (typeof SIDES)[number];

function createPairDealer(market: ChainMarket, seed: number, shaped: readonly ShapedPair[]) {
  const dealWanted = createStratifiedDeal(PAIRS, seed);
  const dealShape = createStratifiedDeal([...new Set(shaped.map(({ shape }) => shape))], seed);
  const sides = SIDES.filter((side) => pairsOf(market, side).length > 0);
  const decks = new Map(sides.map((side) => [side, createDeck(pairsOf(market, side), seed)]));
  const rareTokens = new Map(sides.map((side) => [side, decksByKind(pairsOf(market, side), seed)]));
  const shapedDecks = new Map<string, Deck<ShapedPair>>();
  /** Deals a pair with the given shape, preferably one found for the trade's router. */
  const dealShaped = ({ side, router }: Kind, shape: Shape): ShapedPair | undefined => {
    const ofSide = shaped.filter((each) => each.shape === shape && sideOf(each.pair) === side);
    if (ofSide.length === 0) return undefined;
    const ofRouter = ofSide.filter((each) => each.router === router);
    const key = [shape, side, router].join(' ');
    const deck = shapedDecks.get(key) ?? createDeck(ofRouter.length > 0 ? ofRouter : ofSide, seed);
    shapedDecks.set(key, deck);
    return deck.deal();
  };
  const dealRareToken = (side: Side): TradedPair | undefined => {
    const kinds = rareTokens.get(side) ?? [];
    const kind = kinds.shift();
    if (kind !== undefined) kinds.push(kind);
    return kind?.deal();
  };
  return (kind: Kind) => {
    const wanted = dealWanted(kind.router, kind.swapKind, kind.tolerance);
    const isRareShape = wanted === 'rare shape' && shaped.length > 0;
    const shape = isRareShape ? dealShape(kind.router) : 'split';
    const isShape = isRareShape || wanted === 'split';
    const found = isShape ? dealShaped(kind, shape) : undefined;
    const rare = wanted === 'rare token' ? dealRareToken(kind.side) : undefined;
    const pair = found?.pair ?? rare ?? (decks.get(kind.side)?.deal() as TradedPair);
    return { pair, isShaped: found !== undefined };
  };
}

/**
 * Returns a deck of pairs for each kind of token: each number of decimals, and amounts beyond 96
 * bits.
 */
function decksByKind(pairs: readonly TradedPair[], seed: number): Deck<TradedPair>[] {
  const dealt = pairs.flatMap((pair) => {
    const kinds = [pair.sell, pair.buy].flatMap(({ native, decimals }) =>
      native ? [] : [`${decimals} decimals`],
    );
    if (pair.sellAmount * MAX_TIMES > BEYOND_96_BITS) kinds.push('sold beyond 96 bits');
    if (pair.buyAmount * MAX_TIMES > BEYOND_96_BITS) kinds.push('bought beyond 96 bits');
    return [...new Set(kinds)].map((kind) => ({ kind, pair }));
  });
  return [...groupBy(dealt, ({ kind }) => kind).values()].map((group) =>
    createDeck(
      group.map(({ pair }) => pair),
      seed,
    ),
  );
}

function amountOf(
  { sell, buy, swapKind, amount }: TradeRequest,
  wanted: (typeof AMOUNTS | typeof AMOUNTS_BEYOND)[number],
  [times, parts]: (typeof SCALES)[number],
): bigint {
  const { usdPrice, decimals } = swapKind === 'exact-input' ? sell : buy;
  if (wanted === 'large' && usdPrice !== undefined && usdPrice > 0) {
    const billionths = BigInt(Math.ceil((LARGE_TRADE_USD / usdPrice) * 1e9));
    return (billionths * 10n ** BigInt(decimals)) / 10n ** 9n;
  }
  if (wanted === 'beyond 96 bits') {
    return amount > BEYOND_96_BITS ? amount : BEYOND_96_BITS;
  }
  const scaled = wanted === 'small' ? amount / SMALL_PARTS : (amount * times) / parts;
  return scaled > 0n ? scaled : 1n;
}

/**
 * Returns a variant of each trade with calldata for its own sender. In turn, the variants change
 * the user, the recipient, the tolerance or the amount, or replace the native token with its
 * wrapped token.
 */
export function varyRequests(
  requests: readonly TradeRequest[],
  wrappedNative: Address | undefined,
  other: Address,
): readonly TradeRequest[] {
  const wrap = (asset: Asset): Asset =>
    asset.native && wrappedNative !== undefined
      ? { ...asset, address: wrappedNative, native: false }
      : asset;
  const changes: readonly ((request: TradeRequest) => Partial<TradeRequest>)[] = [
    () => ({ user: other }),
    ({ recipient }) => ({ recipient: recipient === undefined ? other : undefined }),
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
    SIDES.flatMap((side) =>
      SWAP_KINDS.flatMap((swapKind) =>
        TOLERANCES.flatMap((_, tolerance) =>
          [false, true].map((hasRecipient) => ({
            router,
            side,
            swapKind,
            tolerance,
            hasRecipient,
          })),
        ),
      ),
    ),
  );
}

/**
 * Returns the pairs of a chain with the native token on the given side, or on neither. Discovery
 * does not pair the native token with its wrapped token.
 */
export function pairsOf({ pairs }: ChainMarket, side: Side): TradedPair[] {
  return pairs.filter((pair) => sideOf(pair) === side);
}

function withAlias(asset: Asset, alias: string): Asset {
  return asset.native ? { ...asset, address: alias } : asset;
}

export function sideOf({ sell, buy }: Pick<TradedPair, 'sell' | 'buy'>): Side {
  if (sell.native) return 'sells native';
  return buy.native ? 'buys native' : 'neither';
}

const ADDRESS_FORMS: readonly ((address: string) => string)[] = [
  (address) => address,
  (address) => getAddress(address.toLowerCase()),
  (address) => `0x${address.slice(2).toUpperCase()}`,
];

const PARAMETER_NAMES = [
  ...['chainId', 'sellToken', 'buyToken', 'sellAmount', 'buyAmount', 'useRfq', 'router'],
  ...['includeCalldata', 'userAddress', 'recipientAddress', 'slippageTolerance'],
];

/**
 * Returns a request in a format that some client may use, chosen by the request's seed. The formats
 * differ in the notation of addresses and in the order of parameters, and half of the requests for
 * the default router omit its name. The format does not change the meaning. If two requests with
 * the same seed differ in one parameter, they differ in nothing else. This reveals caches whose key
 * lacks that parameter.
 */
export function targetInNotation(request: TradeRequest): RequestTarget {
  const { path, query } = targetOf(request);
  const { notationSeed, router, requiredParameters = [] } = request;
  if (notationSeed === undefined || typeof query === 'string') return { path, query };
  const random = createRandom(notationSeed);
  const addressForm = ADDRESS_FORMS[Math.floor(random() * ADDRESS_FORMS.length)];
  const isUnnamed =
    random() < 0.5 &&
    router === 'default-router' &&
    !requiredParameters.some(([name]) => name === 'router');
  const written = query
    .filter(([name]) => !isUnnamed || name !== 'router')
    .map(([name, value]): readonly [string, string] => {
      const isAddress = isHexAddress(value) && !NATIVE_ALIASES.some((alias) => alias === value);
      return [name, isAddress ? (addressForm?.(value) ?? value) : value];
    });
  const order = shuffle(PARAMETER_NAMES, random);
  const inOrder = written.toSorted(([one], [other]) => order.indexOf(one) - order.indexOf(other));
  return { path, query: inOrder };
}
