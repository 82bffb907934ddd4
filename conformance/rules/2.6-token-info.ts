import { addressKey } from '../checks/hex.ts';
import { TokenInfoSchema } from '../contract/resources.ts';
import { address, inCapitals, SOLD, USD } from '../model/golden-addresses.ts';
import type { JudgedReply } from '../model/judged-reply.ts';
import type { Rule } from '../model/rule.ts';
import { quote, words } from '../model/statement.ts';
import { fieldRules } from '../rule-kit/field-rules.ts';
import { compareWithFirst, type Difference, sameAsFirst } from '../rule-kit/first-reply.ts';
import { hexAddresses, onHexChain } from '../rule-kit/hex-addresses.ts';
import { each, unique } from '../rule-kit/reply-judges.ts';
import { entries, objectsWithin, strings } from '../rule-kit/reply-values.ts';
import { replyRules } from '../rule-kit/rules-by-id.ts';

const addresses = strings(entries, 'address');
const metadata = objectsWithin(entries, 'metadata');

function differencesFromFirst(input: JudgedReply): readonly Difference[] | undefined {
  const first = input.chain?.listedTokens;
  const listed = entries(input);
  if (first === undefined || first.size === 0 || listed.length === 0) return undefined;
  let isRepeated = false;
  const differences = listed.flatMap(({ pointer, value }) => {
    const token = first.get(addressKey(String(value['address'])));
    if (token === undefined) return [];
    isRepeated = true;
    return REPEATED.filter((field) => typeof value[field] === typeof token[field]).flatMap(
      (field) =>
        compareWithFirst(
          `${pointer}/${field}`,
          value[field],
          token[field],
          words` for ${quote(token.address)}`,
        ),
    );
  });
  return isRepeated
    ? differences
    : [
        {
          pointer: '',
          first: words`some tokens`,
          now: words`tokens that the first reply did not list`,
        },
      ];
}

const REPEATED = ['decimals', 'name', 'symbol'] as const;

/** @see Specification 2.6 */
export const rules: readonly Rule[] = [
  ...fieldRules(
    { section: '2.6', slug: 'token-info', endpoint: 'tokens', at: ['/0'] },
    TokenInfoSchema,
    entries,
  ),
  ...fieldRules(
    {
      section: '2.6',
      slug: 'token-info',
      endpoint: 'tokens',
      within: 'metadata',
      at: ['/0/metadata'],
    },
    TokenInfoSchema.properties.metadata,
    metadata,
  ),
  ...replyRules('tokens', {
    'token-info/address-hex': {
      clause: '2.6 address',
      must: 'returns token addresses as 20 bytes of hex, on chains with such addresses',
      check: hexAddresses(addresses, onHexChain(addresses)),
      breaks: [
        [{ '/0/address': '0x12' }, 'at /0/address'],
        [{ '/0/address': '0x12' }, { facts: 'none' }, 'at /0/address'],
      ],
      valid: [[{ '/0/address': inCapitals(SOLD) }]],
      notApplicable: [[{ '': { tokens: [] } }], [{ '': [] }]],
    },
    'token-info/address-unique': {
      clause: '2.6 address',
      should: 'lists each token once in /tokens',
      because: 'A client that looks up a token by address finds two entries.',
      check: unique(addresses, words`each token once`, ({ value }) => addressKey(value)),
      breaks: [[{ '/0/address': inCapitals(USD) }, `at /1/address: "${USD}" again`]],
    },
    'token-info/logo-url': {
      clause: '2.6 logoURI',
      should: 'returns `metadata.logoURI` as an absolute URL',
      because: `"URL of the token's logo image". Data URLs and other schemes are URLs as well.`,
      check: each(
        strings(metadata, 'logoURI'),
        (url) => URL.canParse(url),
        'no-url',
        words`an absolute URL`,
      ),
      breaks: [[{ '/0/metadata/logoURI': 'logo.svg' }, 'at /0/metadata/logoURI']],
    },
    'token-info/repeats': {
      clause: '2.6 decimals',
      should: 'returns the same properties for a token in every reply to /tokens',
      because: 'A client that caches the list uses decimals that a later list contradicts.',
      check: sameAsFirst(differencesFromFirst),
      breaks: [
        [
          { '/0/address': inCapitals(USD) },
          'at /0/decimals: 18',
          'at /0/name: "Sold"',
          'at /0/symbol: "SLD"',
        ],
        [{ '/1/decimals': 18 }, 'at /1/decimals'],
        [{ '/1/symbol': 'usd' }, 'at /1/symbol'],
        [
          {
            '': [
              {
                address: address('8'),
                name: 'Sold',
                symbol: 'SLD',
                decimals: 18,
                metadata: { logoURI: 'https://example.org/SLD.svg' },
                tags: [],
              },
            ],
          },
          'at the top level: tokens that the first reply did not list',
        ],
      ],
      valid: [[(b) => b.pop()], [{ '/0/address': inCapitals(SOLD) }]],
      notApplicable: [[{}, { query: { chainId: '501' } }]],
    },
  }),
];
