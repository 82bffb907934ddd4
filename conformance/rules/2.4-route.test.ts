import { goldenSwap, NATIVE } from '../model/golden-replies.testing.ts';
import { asItIs, fieldRows, testReplyRules } from '../rule-kit/reply-table.testing.ts';
import { rules } from './2.4-route.ts';

const notJudged = 'route/address-of-a-pool n/a';

testReplyRules(rules, [
  [
    goldenSwap,
    {},
    [
      [
        asItIs,
        [
          'route/details-observed: "SourceA": "fee"; "SourceA": none; "SourceB": "feeInBps", "fromFewWrappedTokenAddress"',
        ],
      ],
      [asItIs, ['nothing applies'], { status: 400 }],
      [(b) => (b.routes = []), ['nothing applies']],
      ...fieldRows('route', '/routes/0', {
        address: 5,
        name: null,
        'details?': [],
        fromTokens: {},
        toTokens: 'none',
      }),
      [(b) => (b.routes[0].details = {}), []],
      [
        (b) => delete b.routes[0].fromTokens,
        ['route/from-tokens at /routes/0', 'route/two-ends n/a'],
      ],
      [(b) => (b.routes[0].fromTokens = []), ['route/two-ends at /routes/0: none at one end']],
      [(b) => (b.routes[0].address = 'pool'), ['route/address-hex at /routes/0/address: "pool"']],
      [(b) => (b.routes[0].address = `0x${'3'.repeat(64)}`), []],
      [
        (b) => (b.routes[0].address = NATIVE),
        [`route/address-of-a-pool at /routes/0/address: "${NATIVE}"`],
      ],
      [(b) => (b.routes[0].address = NATIVE), [notJudged], { query: { useRfq: 'true' } }],
      [
        (b) => (b.routes[0].address = NATIVE),
        ['route/address-of-a-pool at /routes/0/address'],
        { query: { useRfq: 'false' } },
      ],
      [asItIs, [notJudged], { origin: 'body-only' }],
    ],
  ],
]);
