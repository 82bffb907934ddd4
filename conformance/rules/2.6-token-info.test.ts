import { goldenFacts, inCapitals, SOLD, USD } from '../model/golden-replies.testing.ts';
import { fields, on, right, testReplies, wrong } from '../rule-kit/replies.testing.ts';
import { rules } from './2.6-token-info.ts';

testReplies(
  rules,
  on('tokens', [
    [{ body: { tokens: [] } }, 'nothing applies'],
    [(b) => b.pop()],
    [(b) => b.splice(0), 'nothing applies'],
    ...fields('token-info', '/0', {
      address: 5,
      name: null,
      symbol: 5,
      decimals: '18',
      metadata: 'none',
    }),
    [(b) => delete b[0].metadata.logoURI, 'token-info/metadata-logo-uri at /0/metadata'],
    wrong('/0/metadata/logoURI', null, 'token-info/metadata-logo-uri'),
    wrong('/0/metadata/logoURI', 'logo.svg', 'token-info/logo-url'),
    wrong('/0/address', '0x12', 'token-info/address-hex'),
    [
      (b) => (b[0].address = '0x12'),
      { facts: undefined },
      'token-info/address-hex at /0/address',
      'token-info/repeats n/a',
    ],
    right('/0/address', inCapitals(SOLD)),
    [
      (b) => (b[0].address = inCapitals(USD)),
      'token-info/address-unique at /1/address',
      'token-info/repeats at /0/decimals: 18',
      'token-info/repeats at /0/name: "Sold"',
      'token-info/repeats at /0/symbol: "SLD"',
    ],
    wrong('/1/decimals', 18, 'token-info/repeats'),
    wrong('/1/symbol', 'usd', 'token-info/repeats'),
    [
      (b) => b.splice(0, 4, { ...b[0], address: `0x${'8'.repeat(40)}` }),
      'token-info/repeats at the top',
    ],
    [{ query: { chainId: '501' } }, 'token-info/repeats n/a'],
    [{ facts: { ...goldenFacts, tokens: new Map() } }, 'token-info/repeats n/a'],
  ]),
);
