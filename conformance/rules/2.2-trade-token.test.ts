import { NATIVE, WRAPPED } from '../model/golden-replies.testing.ts';
import { fields, on, testReplies } from '../rule-kit/replies.testing.ts';
import { rules } from './2.2-trade-token.ts';

const notFlagged = 'trade-token/native-sides-flagged n/a';

testReplies(
  rules,
  on('swap', [
    [{}, notFlagged, 'trade-token/flags-observed: no wrap flag is false'],
    [{ body: [] }, 'nothing applies'],
    [{ body: {} }, notFlagged],
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
      [{}],
      [(b) => delete b.sell.wrapFromNative, 'trade-token/native-sides-flagged at /sell: nothing'],
      [(b) => (b.sell.wrapFromNative = false), 'trade-token/native-sides-flagged at /sell: false'],
      [(b) => (b.tokens[0].address = NATIVE), notFlagged],
      [
        (b) => (b.tokens = []),
        'trade-token/reference-resolves at /sell/referenceId',
        'trade-token/reference-resolves at /buy/referenceId',
        notFlagged,
      ],
      [{ facts: undefined }, notFlagged],
      [{ query: { sellToken: NATIVE, chainId: '501' } }, notFlagged],
      [{ query: { sellToken: NATIVE, chainId: undefined } }, notFlagged],
      [{ query: { sellToken: WRAPPED } }, notFlagged],
    ],
    { query: { sellToken: NATIVE } },
  ),
);
