import { PATHS } from '../contract/paths.ts';
import { type Given, goldenError } from '../model/golden-replies.testing.ts';
import { testProbes } from '../rule-kit/probes.testing.ts';
import { on, type Row, right, testReplies, wrong } from '../rule-kit/replies.testing.ts';
import { answer, at, where } from '../rule-kit/sabotage.testing.ts';
import { rules } from './0-conventions.ts';

const typed = (...contentType: readonly string[]): Given => ({
  headers: contentType.length === 0 ? {} : { 'content-type': contentType },
});
const mistyped = (...types: readonly string[]): Row => [
  typed(...types),
  `endpoint/content-type: ${types.map((type) => `"${type}"`).join(', ') || 'no content-type'}`,
];
const cut = { document: { kind: 'not-json', reason: 'ends in mid-value' } } as const;
const unjudged = ['content-type', 'json', 'unique-keys'].map((name) => `endpoint/${name} n/a`);

testReplies(
  rules,
  on('error', [
    [{}, 'limits/amounts-canonical n/a'],
    [{ status: 201 }, ...unjudged],
    [{ status: 500, exchange: { method: 'POST' } }, ...unjudged],
    [{ status: 500, endpoint: undefined }, ...unjudged],
    mistyped(),
    mistyped('text/html'),
    mistyped('application/jsonp'),
    mistyped('x-application/json'),
    mistyped('application/json', 'text/html'),
    [typed('application/json', 'application/json')],
    [typed('Application/JSON')],
    [typed(' application/json ')],
    [{ ...typed(), origin: 'captured' }, 'endpoint/content-type n/a'],
    [{ ...typed('text/html'), origin: 'captured' }, 'endpoint/content-type: "text/html"'],
    [{ ...typed(), origin: 'body-only' }, 'endpoint/content-type n/a'],
    [
      { ...cut, status: 500 },
      'endpoint/json at the top: ends in mid-value',
      'endpoint/unique-keys n/a',
    ],
    [
      { document: { kind: 'json', value: goldenError(), duplicateKeys: ['/error'] } },
      'endpoint/unique-keys at /error',
    ],
  ]),
  on('swap', [
    wrong('/sell/amount', '05', 'limits/amounts-canonical'),
    right('/sell/amount', '0x5'),
    wrong('/routes/1/toTokens/0/amount', '00', 'limits/amounts-canonical'),
    [{ body: { tokens: [], routes: [] } }, 'limits/amounts-canonical n/a'],
  ]),
);

testProbes(rules, {
  'endpoint/paths': {
    'could not run': 'silent',
    fails: '404 501',
    cases: [[where(at(PATHS.swap), answer(404)), '/api/v1.0/swap | 404 "NO"']],
    asks: ['swap -sellToken -buyToken -sellAmount', 'tokens', 'chains', 'chainInfo'],
  },
});
