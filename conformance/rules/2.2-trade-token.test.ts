import { goldenNativeSell, goldenSwap, NATIVE, WRAPPED } from '../model/golden-replies.testing.ts';
import { asItIs, fieldRows, testReplyRules } from '../rule-kit/reply-table.testing.ts';
import { rules } from './2.2-trade-token.ts';

const notFlagged = 'trade-token/native-sides-flagged n/a';

testReplyRules(rules, [
  [
    goldenSwap,
    {},
    [
      [asItIs, [notFlagged, 'trade-token/flags-observed: no wrap flag is false']],
      [asItIs, ['nothing applies'], { status: 400 }],
      [asItIs, ['nothing applies'], { body: [] }],
      [asItIs, [notFlagged], { body: {} }],
      ...fieldRows('trade-token', '/sell', {
        referenceId: '7',
        amount: 5,
        'wrapFromNative?': 'false',
      }),
      ...fieldRows('trade-token', '/buy', { referenceId: null, amount: 5, 'unwrapToNative?': 1 }),
      [
        (b) => (b.sell.wrapFromNative = false),
        ['trade-token/flags-observed: wrap flags appear as false'],
      ],
      [
        (b) => (b.sell.wrapFromNative = true),
        ['trade-token/flags-observed: no wrap flag is false'],
      ],
      [
        (b) => (b.sell.referenceId = 12),
        ['trade-token/reference-resolves at /sell/referenceId: 12, which no entry has'],
      ],
    ],
  ],
  [
    goldenNativeSell,
    { query: { sellToken: NATIVE } },
    [
      [asItIs, []],
      [(b) => delete b.sell.wrapFromNative, ['trade-token/native-sides-flagged at /sell: nothing']],
      [
        (b) => (b.sell.wrapFromNative = false),
        ['trade-token/native-sides-flagged at /sell: false'],
      ],
      [(b) => (b.tokens[0].address = NATIVE), [notFlagged]],
      [
        (b) => (b.tokens = []),
        [
          'trade-token/reference-resolves at /sell/referenceId',
          'trade-token/reference-resolves at /buy/referenceId',
          notFlagged,
        ],
      ],
      [asItIs, [notFlagged], { facts: undefined }],
      [asItIs, [notFlagged], { query: { sellToken: NATIVE, chainId: '501' } }],
      [asItIs, [notFlagged], { query: { sellToken: NATIVE, chainId: undefined } }],
      [asItIs, [notFlagged], { query: { sellToken: WRAPPED } }],
    ],
  ],
]);
