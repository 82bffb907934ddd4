import { PATHS } from '../contract/paths.ts';
import { type Given, goldenError } from '../model/golden-replies.testing.ts';
import { testProbes } from '../rule-kit/probes.testing.ts';
import { around, on, type Row, right, testReplies, wrong } from '../rule-kit/replies.testing.ts';
import { answer, at, where } from '../rule-kit/sabotage.testing.ts';
import { rules } from './0-conventions.ts';

const typed = (...contentType: readonly string[]): Given => ({
  headers: contentType.length === 0 ? {} : { 'content-type': contentType },
});
const mistyped = (...types: readonly string[]): Row =>
  around(
    typed(...types),
    `endpoint/content-type: ${types.map((type) => `"${type}"`).join(', ') || 'no content-type'}`,
  );
const cut = { document: { kind: 'not-json', reason: 'ends in mid-value' } } as const;
const unjudged = ['content-type', 'json', 'unique-keys'].map((name) => `endpoint/${name} n/a`);

testReplies(
  rules,
  on('error', [
    around({}, 'limits/amounts-canonical n/a'),
    around({ status: 201 }, ...unjudged),
    around({ status: 500, exchange: { method: 'POST' } }, ...unjudged),
    around({ status: 500, endpoint: undefined }, ...unjudged),
    mistyped(),
    mistyped('text/html'),
    mistyped('application/jsonp'),
    mistyped('x-application/json'),
    mistyped('application/json', 'text/html'),
    around(typed('Application/JSON')),
    around(typed(' application/json ')),
    around({ ...typed(), origin: 'captured' }, 'endpoint/content-type n/a'),
    around({ ...typed('text/html'), origin: 'captured' }, 'endpoint/content-type: "text/html"'),
    around({ ...typed(), origin: 'body-only' }, 'endpoint/content-type n/a'),
    around(
      { ...cut, status: 500 },
      'endpoint/json at the top: ends in mid-value',
      'endpoint/unique-keys n/a',
    ),
    around(
      { document: { kind: 'json', value: goldenError(), duplicateKeys: ['/error'] } },
      'endpoint/unique-keys at /error',
    ),
  ]),
  on('swap', [
    around({}),
    wrong('/sell/amount', '05', 'limits/amounts-canonical'),
    right('/sell/amount', '0x5'),
    wrong('/routes/1/toTokens/0/amount', '00', 'limits/amounts-canonical'),
    around({ body: { tokens: [], routes: [] } }, 'limits/amounts-canonical n/a'),
  ]),
);

testProbes(rules, {
  'endpoint/paths': {
    'could not run': 'silent',
    fails: '404 501',
    cases: [[where(at(PATHS.swap), answer(404)), ['/api/v1.0/swap | 404 "NO"']]],
    asks: ['swap -sellToken -buyToken -sellAmount', 'tokens', 'chains', 'chainInfo'],
  },
});
