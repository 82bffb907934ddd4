import { addressKey } from '../checks/hex.ts';
import { TokenInfoSchema } from '../contract/resources.ts';
import type { JudgedReply, Rule } from '../model/rule.ts';
import { quote } from '../rule-kit/faults.ts';
import { fieldRules } from '../rule-kit/field-rules.ts';
import { hexAddresses, onHexChain } from '../rule-kit/hex-addresses.ts';
import { listedTokensFor } from '../rule-kit/known-chains.ts';
import { each, none, unique } from '../rule-kit/reply-judges.ts';
import { entries, type Fields, type Find, objectAt, strings } from '../rule-kit/reply-values.ts';
import { replyRules } from '../rule-kit/rules-by-id.ts';

const addresses = strings(entries, 'address');
const metadata: Find<Fields> = (input) =>
  entries(input).flatMap(({ pointer, value }) =>
    objectAt(value['metadata'], `${pointer}/metadata`),
  );

/** Returns in what a list differs from the first, which discovery read; undefined where either is empty. */
function differencesFromFirst(input: JudgedReply) {
  const first = listedTokensFor(input);
  if (first.size === 0 || entries(input).length === 0) return undefined;
  const repeated = entries(input).flatMap(({ pointer, value }) => {
    const token = first.get(addressKey(String(value['address'])));
    return token === undefined ? [] : [{ pointer, value, token }];
  });
  if (repeated.length === 0) {
    return [{ pointer: '', before: 'some token of', now: 'tokens that it did not list' }];
  }
  return repeated.flatMap(({ pointer, value, token }) =>
    (['decimals', 'name', 'symbol'] as const)
      .filter((field) => typeof value[field] === typeof token[field])
      .filter((field) => value[field] !== token[field])
      .map((field) => ({
        pointer: `${pointer}/${field}`,
        before: `${quote(token[field])} for ${quote(token.address)}, as in`,
        now: quote(value[field]),
      })),
  );
}

/** @see Specification 2.6 */
export const rules: readonly Rule[] = [
  ...fieldRules(
    { section: '2.6', slug: 'token-info', endpoint: 'tokens' },
    TokenInfoSchema,
    entries,
  ),
  ...fieldRules(
    { section: '2.6', slug: 'token-info', endpoint: 'tokens', within: 'metadata' },
    TokenInfoSchema.properties.metadata,
    metadata,
  ),
  ...replyRules('tokens', {
    'token-info/address-hex': {
      clause: '2.6 address',
      must: 'gives token addresses as 20 bytes of hex, on chains with such addresses',
      judge: hexAddresses(addresses, onHexChain(addresses)),
    },
    'token-info/address-unique': {
      clause: '2.6 address',
      should: 'lists each token once in /tokens',
      because: 'A client that looks tokens up by address finds two entries for one.',
      judge: unique(addresses, 'each token once', ({ value }) => addressKey(value)),
    },
    'token-info/logo-url': {
      clause: '2.6 logoURI',
      should: 'gives `metadata.logoURI` as an absolute URL',
      because: `"URL of the token's logo image". Data URLs and other schemes are URLs as well.`,
      judge: each(strings(metadata, 'logoURI'), (url) => URL.canParse(url), 'an absolute URL'),
    },
    'token-info/repeats': {
      clause: '2.6 decimals',
      should: 'repeats in /tokens what its first reply said of each token',
      because: 'A client that keeps the list counts with decimals that a later list denies.',
      judge: none(
        differencesFromFirst,
        ({ before }) => `${before} the first reply`,
        ({ now }) => now,
      ),
    },
  }),
];
