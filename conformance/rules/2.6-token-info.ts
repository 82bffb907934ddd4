import { addressKey, isHexAddress } from '../checks/hex.ts';
import { successBody } from '../checks/reply-body.ts';
import { TokenInfoSchema } from '../contract/resources.ts';
import type { ReplyRule } from '../model/rule.ts';
import { quote, verdictOf } from '../rule-kit/faults.ts';
import { fieldRules, type Place } from '../rule-kit/field-rules.ts';
import { objectAt, placesIn } from '../rule-kit/reply-objects.ts';
import { addressesOf, chainAskedFor, usesHexAddresses } from '../rule-kit/request-parameters.ts';

const identity = { kind: 'reply', endpoint: 'tokens' } as const;
const entries = placesIn();

const addressesAreHex: ReplyRule = {
  ...identity,
  id: 'token-info/address-hex',
  clause: '2.6 address',
  level: 'must',
  title: 'token addresses are 20 bytes of hex on chains of such addresses',
  judge: ({ reply, exchange, facts }) => {
    const listed = entries(reply).flatMap(addressAt);
    const evidence = addressesOf(facts, chainAskedFor(exchange));
    if (
      listed.length === 0 ||
      !usesHexAddresses([...evidence, ...listed.map(([, text]) => text)])
    ) {
      return undefined;
    }
    return verdictOf(
      listed
        .filter(([, address]) => !isHexAddress(address))
        .map(([pointer, address]) => ({
          expected: '`0x` and 40 hex digits',
          actual: quote(address),
          pointer,
        })),
    );
  },
};

const tokensAreDistinct: ReplyRule = {
  ...identity,
  id: 'token-info/address-unique',
  clause: '2.6 address',
  level: 'should',
  title: '/tokens lists no token twice',
  judge: ({ reply }) => {
    const listed = entries(reply).flatMap(addressAt);
    if (listed.length === 0) return undefined;
    const seen = new Set<string>();
    return verdictOf(
      listed
        .filter(([, address]) => {
          const key = addressKey(address);
          const isRepeated = seen.has(key);
          seen.add(key);
          return isRepeated;
        })
        .map(([pointer, address]) => ({
          expected: 'each token once',
          actual: `${quote(address)} once more`,
          pointer,
        })),
    );
  },
};

/** "URL of the token's logo image". Data URLs and other schemes are URLs as well. */
const logosAreUrls: ReplyRule = {
  ...identity,
  id: 'token-info/logo-url',
  clause: '2.6 logoURI',
  level: 'should',
  title: '`metadata.logoURI` is an absolute URL',
  judge: ({ reply }) => {
    const logos = metadataOf(entries(reply)).flatMap(({ pointer, object }) => {
      const { logoURI } = object;
      return typeof logoURI === 'string' ? [{ pointer: `${pointer}/logoURI`, logoURI }] : [];
    });
    if (logos.length === 0) return undefined;
    return verdictOf(
      logos
        .filter(({ logoURI }) => !URL.canParse(logoURI))
        .map(({ logoURI, pointer }) => ({
          expected: 'an absolute URL',
          actual: quote(logoURI),
          pointer,
        })),
    );
  },
};

/** What one list says of a token, every other says too; the first is what discovery read. */
const tokensRepeat: ReplyRule = {
  ...identity,
  id: 'token-info/repeats',
  clause: '2.6 decimals',
  level: 'should',
  title: 'every reply lists tokens of the first, with the same decimals, name and symbol',
  judge: ({ reply, exchange, facts }) => {
    const first = facts?.tokens.get(chainAskedFor(exchange) ?? Number.NaN) ?? [];
    const byAddress = new Map(first.map((token) => [addressKey(token.address), token]));
    const known = entries(reply).flatMap(({ object, pointer }) => {
      const token = byAddress.get(addressKey(String(object['address'])));
      return token === undefined ? [] : [{ object, pointer, token }];
    });
    if (first.length === 0 || entries(reply).length === 0) return undefined;
    if (known.length === 0) {
      const expected = 'some token of the first reply';
      return verdictOf([{ expected, actual: 'tokens that it did not list', pointer: '' }]);
    }
    return verdictOf(
      known.flatMap(({ object, pointer, token }) =>
        (['decimals', 'name', 'symbol'] as const)
          .filter(
            (field) =>
              typeof object[field] === typeof token[field] && object[field] !== token[field],
          )
          .map((field) => ({
            expected: `${quote(token[field])} for ${quote(token.address)}, as in the first reply`,
            actual: quote(object[field]),
            pointer: `${pointer}/${field}`,
          })),
      ),
    );
  },
};

/** "Returns a curated list of example tokens for a chain." */
const someTokenIsListed: ReplyRule = {
  ...identity,
  id: 'tokens/not-empty',
  clause: '1.4 lookups',
  level: 'should',
  title: '/tokens lists at least one token',
  judge: ({ reply }) => {
    const body = successBody(reply);
    if (!Array.isArray(body)) return undefined;
    return verdictOf(
      body.length > 0 ? [] : [{ expected: 'at least one token', actual: '[]', pointer: '' }],
    );
  },
};

function addressAt({ pointer, object }: Place): readonly (readonly [string, string])[] {
  const address = object['address'];
  return typeof address === 'string' ? [[`${pointer}/address`, address]] : [];
}

function metadataOf(places: readonly Place[]): readonly Place[] {
  return places.flatMap(({ pointer, object }) =>
    objectAt(object['metadata'], `${pointer}/metadata`),
  );
}

/** @see Specification 2.6 */
export const tokenInfoRules: readonly ReplyRule[] = [
  ...fieldRules({
    section: '2.6',
    slug: 'token-info',
    schema: TokenInfoSchema,
    endpoint: 'tokens',
    places: entries,
  }),
  ...fieldRules({
    section: '2.6',
    slug: 'token-info',
    schema: TokenInfoSchema.properties.metadata,
    endpoint: 'tokens',
    places: (reply) => metadataOf(entries(reply)),
    within: 'metadata',
  }),
  addressesAreHex,
  tokensAreDistinct,
  logosAreUrls,
  tokensRepeat,
  someTokenIsListed,
];
