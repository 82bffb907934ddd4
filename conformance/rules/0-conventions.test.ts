import { PATHS } from '../contract/paths.ts';
import { type Given, goldenError, goldenSwap } from '../model/golden-replies.testing.ts';
import { testProbes } from '../rule-kit/probe-table.testing.ts';
import { asItIs, type Row, testReplyRules } from '../rule-kit/reply-table.testing.ts';
import { answer, at, where } from '../rule-kit/sabotage.testing.ts';
import { rules } from './0-conventions.ts';

const typed = (...contentType: readonly string[]): Given => ({
  headers: contentType.length === 0 ? {} : { 'content-type': contentType },
});
const mistyped = (...types: readonly string[]): Row => [
  asItIs,
  [`endpoint/content-type: ${types.map((type) => `"${type}"`).join(', ') || 'no content-type'}`],
  typed(...types),
];
const cut = { document: { kind: 'not-json', reason: 'ends in mid-value' } } as const;
const unjudged = ['content-type', 'json', 'unique-keys'].map((name) => `endpoint/${name} n/a`);

testReplyRules(rules, [
  [
    goldenError,
    { status: 400 },
    [
      [asItIs, ['limits/amounts-canonical n/a']],
      [asItIs, unjudged, { status: 201 }],
      [asItIs, unjudged, { status: 500, exchange: { method: 'POST' } }],
      [asItIs, unjudged, { status: 500, endpoint: undefined }],
      mistyped(),
      mistyped('text/html'),
      mistyped('application/jsonp'),
      mistyped('x-application/json'),
      mistyped('application/json', 'text/html'),
      [asItIs, [], typed('Application/JSON')],
      [asItIs, [], typed(' application/json ')],
      [asItIs, ['endpoint/content-type n/a'], { ...typed(), origin: 'captured' }],
      [
        asItIs,
        ['endpoint/content-type: "text/html"'],
        { ...typed('text/html'), origin: 'captured' },
      ],
      [asItIs, ['endpoint/content-type n/a'], { ...typed(), origin: 'body-only' }],
      [
        asItIs,
        ['endpoint/json at the top: ends in mid-value', 'endpoint/unique-keys n/a'],
        { ...cut, status: 500 },
      ],
      [
        asItIs,
        ['endpoint/unique-keys at /error'],
        { document: { kind: 'json', value: goldenError(), duplicateKeys: ['/error'] } },
      ],
    ],
  ],
  [
    goldenSwap,
    {},
    [
      [asItIs, []],
      [(b) => (b.sell.amount = '05'), ['limits/amounts-canonical at /sell/amount: "05"']],
      [(b) => (b.sell.amount = '0x5'), []],
      [
        (b) => (b.routes[1].toTokens[0].amount = '00'),
        ['limits/amounts-canonical at /routes/1/toTokens/0/amount: "00"'],
      ],
      [asItIs, ['limits/amounts-canonical n/a'], { body: { tokens: [], routes: [] } }],
    ],
  ],
]);

testProbes(rules, {
  'endpoint/paths': {
    'could not run': 'silent',
    fails: '404 501',
    cases: [[where(at(PATHS.swap), answer(404)), ['/api/v1.0/swap | 404 "NO"']]],
    asks: ['swap -sellToken -buyToken -sellAmount', 'tokens', 'chains', 'chainInfo'],
  },
});
