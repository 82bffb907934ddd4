import { addressKey, sameAddress } from '../../checks/hex.ts';
import type { BodyToken } from '../../checks/plan.ts';
import { successObject } from '../../checks/reply-body.ts';
import type { Facts, TradedPair } from '../../discovery/facts.ts';
import type { JudgedReply, ReplyRule } from '../../model/rule.ts';
import { quote, verdictOf } from '../../rule-kit/faults.ts';
import { tokensOf } from '../../rule-kit/plan-of-reply.ts';
import { chainAskedFor } from '../../rule-kit/request-parameters.ts';

const identity = { kind: 'reply', endpoint: 'swap' } as const;

const pricesAreNotNegative: ReplyRule = {
  ...identity,
  id: 'token/usd-price-not-negative',
  clause: '2.3 usdPrice',
  level: 'should',
  title: '`usdPrice` is not negative',
  judge: ({ reply }) => {
    const priced = tokensOf(reply).filter(({ usdPrice }) => usdPrice !== undefined);
    if (priced.length === 0) return undefined;
    return verdictOf(
      priced
        .filter(({ usdPrice = 0 }) => usdPrice < 0)
        .map(({ usdPrice, pointer }) => ({
          expected: '0 or more',
          actual: quote(usdPrice),
          pointer: `${pointer}/usdPrice`,
        })),
    );
  },
};

/** "Current price of the chain's native token in USD", and the wrapped token is worth the native one. */
const nativePriceAgrees: ReplyRule = {
  ...identity,
  id: 'token/wrapped-native-price',
  clause: '2.1 nativeTokenUsdPrice',
  level: 'should',
  title: "`nativeTokenUsdPrice` is the wrapped native token's `usdPrice`, within 1 %",
  needs: 'a plan with the wrapped native token',
  judge: ({ reply, exchange, facts }) => {
    const info = facts?.chainInfo.get(chainAskedFor(exchange) ?? Number.NaN);
    const price = successObject(reply)?.['nativeTokenUsdPrice'];
    if (info === undefined || typeof price !== 'number' || !Number.isFinite(price))
      return undefined;
    const wrapped = tokenWith(reply, info.wrappedNativeTokenAddress);
    if (wrapped?.usdPrice === undefined) return undefined;
    const isNear = Math.abs(price - wrapped.usdPrice) <= 0.01 * Math.abs(wrapped.usdPrice);
    return verdictOf(
      isNear
        ? []
        : [
            {
              expected: `\`nativeTokenUsdPrice\` within 1 % of ${wrapped.usdPrice}, the price of the wrapped token`,
              actual: quote(price),
              pointer: '/nativeTokenUsdPrice',
            },
          ],
    );
  },
};

/** "Address of the primary USD-pegged token": a peg may slip, but not by half. */
const usdTokenIsPegged: ReplyRule = {
  ...identity,
  id: 'token/usd-token-price',
  clause: '2.8 usdTokenAddress',
  level: 'should',
  title: "the chain's USD token is priced between 0.5 and 2 USD",
  needs: 'a plan with the USD token of the chain',
  judge: ({ reply, exchange, facts }) => {
    const info = facts?.chainInfo.get(chainAskedFor(exchange) ?? Number.NaN);
    const token = info === undefined ? undefined : tokenWith(reply, info.usdTokenAddress);
    if (token?.usdPrice === undefined) return undefined;
    return verdictOf(
      token.usdPrice >= 0.5 && token.usdPrice <= 2
        ? []
        : [
            {
              expected: 'a `usdPrice` near 1 for the token that /chainInfo calls USD-pegged',
              actual: quote(token.usdPrice),
              pointer: `${token.pointer}/usdPrice`,
            },
          ],
    );
  },
};

function tokenWith(reply: JudgedReply['reply'], address: string): BodyToken | undefined {
  return tokensOf(reply).find(
    (token) => token.address !== undefined && sameAddress(token.address, address),
  );
}

/** Prices of one token in one run: they move, but not by half. */
const LARGEST_MOVE = 2;

function isNear(price: number, known: number): boolean {
  return price >= known / LARGEST_MOVE && price <= known * LARGEST_MOVE;
}

/** "Current USD price of the token": one price, wherever in a plan the token stands. */
const pricesHold: ReplyRule = {
  ...identity,
  id: 'token/usd-price-steady',
  clause: '2.3 usdPrice',
  level: 'should',
  title: '`usdPrice` is what other plans told of that token, within a factor of two',
  needs: 'a plan with a token whose price was told before',
  judge: ({ reply, exchange, facts }) => {
    const known = knownPrices(facts, chainAskedFor(exchange));
    const judged = tokensOf(reply).flatMap(({ address, usdPrice, pointer }) => {
      const before = address === undefined ? undefined : known.get(addressKey(address));
      return before === undefined || usdPrice === undefined ? [] : [{ usdPrice, before, pointer }];
    });
    if (judged.length === 0) return undefined;
    return verdictOf(
      judged
        .filter(({ usdPrice, before }) => !isNear(usdPrice, before))
        .map(({ usdPrice, before, pointer }) => ({
          expected: `about ${before}, as an earlier plan told`,
          actual: quote(usdPrice),
          pointer: `${pointer}/usdPrice`,
        })),
    );
  },
};

/** "Current price of the chain's native token": one price, whatever is traded. */
const nativePriceHolds: ReplyRule = {
  ...identity,
  id: 'swap-response/native-price-steady',
  clause: '2.1 nativeTokenUsdPrice',
  level: 'should',
  title: '`nativeTokenUsdPrice` is what other plans told, within a factor of two',
  needs: 'a plan on a chain whose native price was told before',
  judge: ({ reply, exchange, facts }) => {
    const chainId = chainAskedFor(exchange);
    const market = chainId === undefined ? undefined : facts?.markets.get(chainId);
    const known = market?.nativeTokenUsdPrice;
    const price = successObject(reply)?.['nativeTokenUsdPrice'];
    if (known === undefined || typeof price !== 'number') return undefined;
    return verdictOf(
      isNear(price, known)
        ? []
        : [
            {
              expected: `about ${known}, as an earlier plan told`,
              actual: quote(price),
              pointer: '/nativeTokenUsdPrice',
            },
          ],
    );
  },
};

const prices = new WeakMap<Facts, Map<number, ReadonlyMap<string, number>>>();

/** What discovery learned of the prices of a chain's tokens, by address. */
function knownPrices(
  facts: Facts | undefined,
  chainId: number | undefined,
): ReadonlyMap<string, number> {
  if (facts === undefined || chainId === undefined) return new Map();
  const byChain = prices.get(facts) ?? new Map<number, ReadonlyMap<string, number>>();
  prices.set(facts, byChain);
  const known = byChain.get(chainId) ?? pricesOf(facts.markets.get(chainId)?.pairs ?? []);
  byChain.set(chainId, known);
  return known;
}

function pricesOf(pairs: readonly TradedPair[]): ReadonlyMap<string, number> {
  const known = new Map<string, number>();
  for (const { address, usdPrice, native } of pairs.flatMap(({ sell, buy }) => [sell, buy])) {
    if (!native && usdPrice !== undefined) known.set(addressKey(address), usdPrice);
  }
  return known;
}

/** @see Specification 2.1 nativeTokenUsdPrice and 2.3 usdPrice */
export const priceRules: readonly ReplyRule[] = [
  pricesAreNotNegative,
  nativePriceAgrees,
  usdTokenIsPegged,
  pricesHold,
  nativePriceHolds,
];
