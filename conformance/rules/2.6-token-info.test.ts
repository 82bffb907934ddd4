import {
  goldenFacts,
  goldenTokens,
  inCapitals,
  SOLD,
  USD,
} from '../model/golden-replies.testing.ts';
import { asItIs, fieldRows, testReplyRules } from '../rule-kit/reply-table.testing.ts';
import { rules } from './2.6-token-info.ts';

testReplyRules(rules, [
  [
    goldenTokens,
    { endpoint: 'tokens' },
    [
      [asItIs, []],
      [asItIs, ['nothing applies'], { status: 400 }],
      [asItIs, ['nothing applies'], { body: { tokens: [] } }],
      [(b) => b.pop(), []],
      [(b) => b.splice(0), ['nothing applies']],
      ...fieldRows('token-info', '/0', {
        address: 5,
        name: null,
        symbol: 5,
        decimals: '18',
        metadata: 'none',
      }),
      [(b) => delete b[0].metadata.logoURI, ['token-info/metadata-logo-uri at /0/metadata']],
      [
        (b) => (b[0].metadata.logoURI = null),
        ['token-info/metadata-logo-uri at /0/metadata/logoURI'],
      ],
      [
        (b) => (b[0].metadata.logoURI = 'logo.svg'),
        ['token-info/logo-url at /0/metadata/logoURI: "logo.svg"'],
      ],
      [(b) => (b[0].address = '0x12'), ['token-info/address-hex at /0/address: "0x12"']],
      [
        (b) => (b[0].address = '0x12'),
        ['token-info/address-hex at /0/address', 'token-info/repeats n/a'],
        { facts: undefined },
      ],
      [(b) => (b[0].address = inCapitals(SOLD)), []],
      [
        (b) => (b[0].address = inCapitals(USD)),
        [
          'token-info/address-unique at /1/address',
          'token-info/repeats at /0/decimals: 18',
          'token-info/repeats at /0/name: "Sold"',
          'token-info/repeats at /0/symbol: "SLD"',
        ],
      ],
      [(b) => (b[1].decimals = 18), ['token-info/repeats at /1/decimals: 18']],
      [(b) => (b[1].symbol = 'usd'), ['token-info/repeats at /1/symbol: "usd"']],
      [
        (b) => b.splice(0, 4, { ...b[0], address: `0x${'8'.repeat(40)}` }),
        ['token-info/repeats at the top'],
      ],
      [asItIs, ['token-info/repeats n/a'], { query: { chainId: '501' } }],
      [asItIs, ['token-info/repeats n/a'], { facts: { ...goldenFacts, tokens: new Map() } }],
    ],
  ],
]);
