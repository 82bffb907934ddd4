import { addressKey, isHexAddress, sameAddress } from '../checks/hex.ts';
import { findRepeatedIds } from '../checks/references.ts';
import { type TokenInfo, TokenSchema } from '../contract/resources.ts';
import type { Facts } from '../discovery/facts.ts';
import { chainAskedFor } from './asked.ts';
import { fieldRules } from './fields.ts';
import { type Fault, quote, verdictOf } from './findings.ts';
import { placesIn, successObject } from './places.ts';
import type { JudgedReply, Level, ReplyRule } from './rule.ts';
import { isHexChain, planOf, type TokenView, tokensOf } from './swap-view.ts';

const identity = { kind: 'reply', endpoint: 'swap' } as const;

/** "Unique within the response". */
const idsAreUnique: ReplyRule = {
  ...identity,
  id: 'token/reference-unique',
  clause: '2.3 referenceId',
  level: 'must',
  title: '`referenceId` is unique within `tokens`',
  judge: ({ reply }) => {
    const view = planOf(reply);
    if (view === undefined) return undefined;
    return verdictOf(
      findRepeatedIds(view.plan).map(({ referenceId, pointer }) => ({
        expected: 'a `referenceId` that no other entry of `tokens` has',
        actual: `${referenceId} once more`,
        pointer,
      })),
    );
  },
};

const addressesAreHex: ReplyRule = {
  ...identity,
  id: 'token/address-hex',
  clause: '2.3 address',
  level: 'must',
  title: 'token addresses are 20 bytes of hex on chains of such addresses',
  judge: (input) => {
    const tokens = tokensOf(input.reply);
    if (tokens.length === 0 || !isHexChain(input)) return undefined;
    return verdictOf(
      tokens.flatMap(({ address, pointer }) =>
        address === undefined || isHexAddress(address)
          ? []
          : [
              {
                expected: '`0x` and 40 hex digits',
                actual: quote(address),
                pointer: `${pointer}/address`,
              },
            ],
      ),
    );
  },
};

/** One token listed twice would split its flow over two entries. */
const addressesAreUnique: ReplyRule = {
  ...identity,
  id: 'token/address-unique',
  clause: '2.3 address',
  level: 'should',
  title: 'no token is listed twice',
  judge: ({ reply }) => {
    const seen = new Set<string>();
    const faults: Fault[] = [];
    for (const { address, pointer } of tokensOf(reply)) {
      if (address === undefined) continue;
      const key = addressKey(address);
      if (seen.has(key)) {
        faults.push({
          expected: 'each token once in `tokens`',
          actual: `${address} once more`,
          pointer: `${pointer}/address`,
        });
      }
      seen.add(key);
    }
    return seen.size === 0 ? undefined : verdictOf(faults);
  },
};

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

/** Two endpoints that disagree on a token cannot both be right. */
function agreesWithList(field: 'decimals' | 'name' | 'symbol', level: Level): ReplyRule {
  return {
    ...identity,
    id: `token/${field}-as-listed`,
    clause: `2.3 ${field}`,
    level,
    title: `\`${field}\` is what /tokens says of that token`,
    needs: 'a plan with a token that /tokens lists',
    judge: (input) => {
      const listed = listedTokens(input);
      if (listed.length === 0) return undefined;
      return verdictOf(
        listed
          .filter(
            ([token, entry]) =>
              typeof token[field] === typeof entry[field] && token[field] !== entry[field],
          )
          .map(([token, entry]) => ({
            expected: `${quote(entry[field])}, as /tokens says of ${entry.address}`,
            actual: quote(token[field]),
            pointer: `${token.pointer}/${field}`,
          })),
      );
    },
  };
}

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

function tokenWith(reply: JudgedReply['reply'], address: string): TokenView | undefined {
  return tokensOf(reply).find(
    (token) => token.address !== undefined && sameAddress(token.address, address),
  );
}

const indexes = new WeakMap<Facts, Map<number, ReadonlyMap<string, TokenInfo>>>();

function listedTokens({
  reply,
  exchange,
  facts,
}: JudgedReply): readonly (readonly [TokenView, TokenInfo])[] {
  const chainId = chainAskedFor(exchange);
  if (facts === undefined || chainId === undefined) return [];
  const byChain = indexes.get(facts) ?? new Map<number, ReadonlyMap<string, TokenInfo>>();
  indexes.set(facts, byChain);
  const index =
    byChain.get(chainId) ??
    new Map((facts.tokens.get(chainId) ?? []).map((token) => [addressKey(token.address), token]));
  byChain.set(chainId, index);
  return tokensOf(reply).flatMap((token) => {
    const entry = token.address === undefined ? undefined : index.get(addressKey(token.address));
    return entry === undefined ? [] : [[token, entry] as const];
  });
}

/** @see Specification 2.3 */
export const tokenRules: readonly ReplyRule[] = [
  ...fieldRules({
    section: '2.3',
    slug: 'token',
    schema: TokenSchema,
    endpoint: 'swap',
    places: placesIn('tokens'),
  }),
  idsAreUnique,
  addressesAreHex,
  addressesAreUnique,
  pricesAreNotNegative,
  agreesWithList('decimals', 'must'),
  agreesWithList('name', 'should'),
  agreesWithList('symbol', 'should'),
  nativePriceAgrees,
  usdTokenIsPegged,
];
