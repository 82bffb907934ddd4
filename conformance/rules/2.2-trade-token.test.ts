import { NATIVE, WRAPPED } from '../model/golden-replies.testing.ts';
import { around, fields, on, testReplies } from '../rule-kit/replies.testing.ts';
import { rules } from './2.2-trade-token.ts';

const notFlagged = 'trade-token/native-sides-flagged n/a';

testReplies(
  rules,
  on('swap', [
    around({}, notFlagged, 'trade-token/flags-observed: no wrap flag is false'),
    around({ status: 400 }, 'nothing applies'),
    around({ body: [] }, 'nothing applies'),
    around({ body: {} }, notFlagged),
    ...fields('trade-token', '/sell', {
      referenceId: '7',
      amount: 5,
      'wrapFromNative?': 'false',
    }),
    ...fields('trade-token', '/buy', { referenceId: null, amount: 5, 'unwrapToNative?': 1 }),
    [
      (b) => (b.sell.wrapFromNative = false),
      'trade-token/flags-observed: wrap flags appear as false',
    ],
    [(b) => (b.sell.wrapFromNative = true), 'trade-token/flags-observed: no wrap flag is false'],
    [
      (b) => (b.sell.referenceId = 12),
      'trade-token/reference-resolves at /sell/referenceId: 12, which no entry has',
    ],
  ]),
  on(
    'nativeSell',
    [
      around({}),
      [(b) => delete b.sell.wrapFromNative, 'trade-token/native-sides-flagged at /sell: nothing'],
      [(b) => (b.sell.wrapFromNative = false), 'trade-token/native-sides-flagged at /sell: false'],
      [(b) => (b.tokens[0].address = NATIVE), notFlagged],
      [
        (b) => (b.tokens = []),
        [
          'trade-token/reference-resolves at /sell/referenceId',
          'trade-token/reference-resolves at /buy/referenceId',
          notFlagged,
        ],
      ],
      around({ facts: undefined }, notFlagged),
      around({ query: { sellToken: NATIVE, chainId: '501' } }, notFlagged),
      around({ query: { sellToken: NATIVE, chainId: undefined } }, notFlagged),
      around({ query: { sellToken: WRAPPED } }, notFlagged),
    ],
    { query: { sellToken: NATIVE } },
  ),
);
