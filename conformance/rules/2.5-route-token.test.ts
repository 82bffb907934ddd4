import { goldenSwap } from '../model/golden-replies.testing.ts';
import { asItIs, fieldRows, testReplyRules } from '../rule-kit/reply-table.testing.ts';
import { rules } from './2.5-route-token.ts';

testReplyRules(rules, [
  [
    goldenSwap,
    {},
    [
      [asItIs, []],
      [asItIs, ['nothing applies'], { status: 400 }],
      [(b) => (b.routes = []), ['nothing applies']],
      [
        (b) => delete b.sell,
        ['route-token/reference-resolves n/a', 'route-token/moves-something n/a'],
      ],
      ...fieldRows('route-token', '/routes/0/fromTokens/0', { referenceId: null, amount: 1 }),
      ...fieldRows('route-token', '/routes/2/toTokens/0', { referenceId: '1', amount: null }),
      [
        (b) => {
          b.routes[2].fromTokens[0].referenceId = 55;
          b.routes[1].toTokens[0].referenceId = 56;
        },
        [
          'route-token/reference-resolves at /routes/1/toTokens/0/referenceId: 56, which no entry has',
          'route-token/reference-resolves at /routes/2/fromTokens/0/referenceId: 55, which no entry has',
        ],
      ],
      [
        (b) => (b.routes[2].fromTokens[0].amount = '0'),
        ['route-token/moves-something at /routes/2/fromTokens/0/amount: "0"'],
      ],
    ],
  ],
]);
