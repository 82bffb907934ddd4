import {
  type Given,
  goldenFacts,
  inCapitals,
  type Loose,
  NATIVE,
  SOLD,
  USD,
  WRAPPED,
} from '../../model/golden-replies.testing.ts';
import { pricesTold } from '../../model/model-market.testing.ts';
import { fields, on, type Row, right, testReplies, wrong } from '../../rule-kit/replies.testing.ts';
import { rules } from './replies.ts';

/** The wrapped native token was told at 4,000 USD before, and the sold one at 1. */
const before: Given = {
  facts: pricesTold(4_000, { address: WRAPPED, usdPrice: 4_000 }, { address: SOLD, usdPrice: 1 }),
};
const told = (at: number, usdPrice: unknown) => (b: Loose) => {
  b.tokens[2].usdPrice = 4_000;
  b.tokens[at].usdPrice = usdPrice;
};
/** No price was told, but one of the native token by its alias. */
const unpriced = pricesTold(
  undefined,
  { address: WRAPPED, usdPrice: undefined },
  { address: NATIVE, usdPrice: 9, native: true },
);
const unlisted = ['decimals', 'name', 'symbol'].map((field) => `token/${field}-as-listed n/a`);

/** Two tokens at 1 USD with three decimals, sold and bought in these amounts. */
const valued =
  (sold: string, bought: string, change: (b: Loose) => void = () => {}) =>
  (b: Loose) => {
    b.tokens = [b.tokens[0], b.tokens[3]];
    for (const token of b.tokens) Object.assign(token, { usdPrice: 1, decimals: 3 });
    b.sell.amount = sold;
    b.buy.amount = bought;
    b.routes = [{ ...b.routes[0], fromTokens: [b.sell], toTokens: [b.buy] }];
    change(b);
  };
const priced = (bought: number, decimals: number) => (b: Loose) => {
  for (const token of b.tokens) token.decimals = decimals;
  b.tokens[1].usdPrice = bought;
};
/** Sold and bought through a token without decimals. */
const through = (usdPrice: number) => (b: Loose) => {
  priced(0.9, 3)(b);
  const between = { ...b.tokens[0], address: USD, referenceId: 99, usdPrice, decimals: 0 };
  b.tokens.push(between);
  const leg = { referenceId: between.referenceId, amount: '1' };
  b.routes = [
    { ...b.routes[0], toTokens: [leg] },
    { ...b.routes[0], fromTokens: [leg] },
  ];
};
/** As many tokens, each of its own id and address, as no call takes as its arguments. */
const moreThanACallTakes = (token: Loose) =>
  Array.from({ length: 200_000 }, (_, at) => ({
    ...token,
    referenceId: 1_000 + at,
    address: `0x${'c'.repeat(30)}${String(at).padStart(10, '0')}`,
  }));
const disagree = 'swap/usd-values-agree at /buy/amount';
const worthless = 'swap/usd-values-agree n/a';

testReplies(
  rules,
  on('swap', [
    [{}, 'token/usd-price-steady n/a'],
    right('/tokens/1/address', inCapitals(USD)),
    [(b) => (b.tokens = {}), 'nothing applies'],
    [{ facts: undefined }, ...unlisted],
    [{ query: { chainId: undefined } }, ...unlisted],
    [{ facts: { ...goldenFacts, tokens: new Map() } }, ...unlisted],
    ...fields('token', '/tokens/1', {
      referenceId: 1.5,
      address: 5,
      name: null,
      symbol: 5,
      decimals: '6',
      usdPrice: null,
    }),
    wrong('/tokens/1/address', USD.slice(0, -1), 'token/address-hex'),
    wrong('/tokens/1/name', 'Euro', 'token/name-as-listed'),
    wrong('/tokens/1/symbol', 'EUR', 'token/symbol-as-listed'),
    wrong('/tokens/1/decimals', 8, 'token/decimals-as-listed'),
    wrong('/tokens/1/decimals', 6.5, 'token/decimals', 'token/decimals-as-listed'),
    wrong('/tokens/1/usdPrice', -1, 'token/usd-price-not-negative'),
    [(b) => (b.tokens[0].usdPrice = 0), 'swap/usd-values-agree n/a'],
    [(b) => (b.tokens = [...b.tokens, ...moreThanACallTakes(b.tokens[1])])],
    ...[2_000, 4_000, 8_000].map((price): Row => [told(2, price), before]),
    ...[0, 1_999, 8_001].map(
      (price): Row => [
        told(2, price),
        before,
        `token/usd-price-steady at /tokens/2/usdPrice: ${price}`,
      ],
    ),
    [
      told(2, -4_000),
      before,
      'token/usd-price-steady at /tokens/2/usdPrice',
      'token/usd-price-not-negative at /tokens/2/usdPrice',
    ],
    [told(0, 1_000), before, 'token/usd-price-steady at /tokens/0/usdPrice: 1000'],
    [{ ...before, query: { chainId: '501' } }, 'token/usd-price-steady n/a'],
    [{ facts: unpriced }, 'token/usd-price-steady n/a'],
    [(b) => (b.tokens = [b.tokens[1], b.tokens[3]]), before, 'token/usd-price-steady n/a'],
    [
      (b) => b.tokens.push(b.tokens[0]),
      'token/reference-unique at /tokens/4/referenceId',
      'token/address-unique at /tokens/4/address',
    ],
    [
      (b) =>
        b.tokens.push({
          ...b.tokens[0],
          referenceId: 99,
          address: inCapitals(b.tokens[0].address),
        }),
      'token/address-unique at /tokens/4/address',
    ],
  ]),
  on(
    'swap',
    [
      [valued('10000', '1000')],
      [valued('10000', '999'), worthless],
      [valued('10001', '1000')],
      [valued('10000', '100000')],
      [valued('10000', '100001'), `${disagree}: 100 USD bought`],
      [valued('1000', '1000')],
      [valued('999', '1000'), worthless],
      [valued('10000', '1000', priced(0.9, 3)), `${disagree}: 0.9 USD bought`],
      [valued('10000', '1000', through(0.49)), disagree],
      [valued('10000', '1000', through(0.51))],
      [valued('10000', '1000', priced(0.9, 6)), disagree],
      [valued('9999', '1000', priced(0.9, 6))],
      [valued('10000', '1000', priced(0, 3)), worthless],
      [
        valued('10000', '1000', priced(-1, 3)),
        worthless,
        'token/usd-price-not-negative at /tokens/1/usdPrice',
      ],
      [
        valued('10000', '1000', (b) => delete b.tokens[0].usdPrice),
        worthless,
        'token/usd-price at /tokens/0',
      ],
      [
        valued('10000', '1000', (b) => delete b.tokens[1].usdPrice),
        worthless,
        'token/usd-price at /tokens/1',
      ],
      [
        valued('10000', '1000', (b) => (b.tokens[1].decimals = '3')),
        worthless,
        'token/decimals at /tokens/1/decimals',
      ],
    ],
    { facts: undefined },
  ),
);
