import { goldenSwap, NATIVE } from '../model/golden-replies.testing.ts';
import {
  fields,
  on,
  type Row,
  right,
  set,
  testReplies,
  wrong,
} from '../rule-kit/replies.testing.ts';
import { POOL, POOL_2, testSettlements } from '../rule-kit/settlements.testing.ts';
import { rules } from './2.4-route.ts';

/** Keys as they are told, sorted. */
const keysOf = (details: object) =>
  Object.keys(details)
    .sort()
    .map((key) => `"${key}"`)
    .join(', ') || 'none';
const notJudged = 'route/address-of-a-pool n/a';

testReplies(
  rules,
  on('swap', [
    [
      {},
      'route/details-observed: "SourceA": "fee"',
      'route/details-observed: "SourceA": none',
      'route/details-observed: "SourceB": "feeInBps", "fromFewWrappedTokenAddress"',
    ],
    [(b) => (b.routes = []), 'nothing applies'],
    ...fields('route', '/routes/0', {
      address: 5,
      name: null,
      'details?': [],
      fromTokens: {},
      toTokens: 'none',
    }),
    ...[{}, { b: 1 }, { b: 1, a: 2 }, { a: 1, b: 2 }, { b: 1, c: 2 }, { b: 1 }].map(
      (details): Row => [
        set('/routes', [{ ...goldenSwap().routes[0], details }]),
        `route/details-observed: "SourceB": ${keysOf(details)}`,
      ],
    ),
    [
      set('/routes/0/details', Object.fromEntries([...'jihgfedcba'].map((key) => [key, 1]))),
      'route/details-observed: "SourceA": "fee"',
      'route/details-observed: "SourceA": none',
      'route/details-observed: "SourceB": "a", "b", "c", "d", "e", "f", "g", "h"',
    ],
    [(b) => delete b.routes[0].fromTokens, 'route/from-tokens at /routes/0', 'route/two-ends n/a'],
    [(b) => (b.routes[0].fromTokens = []), 'route/two-ends at /routes/0: none at one end'],
    wrong('/routes/0/address', 'pool', 'route/address-hex'),
    right('/routes/0/address', `0x${'3'.repeat(64)}`),
    wrong('/routes/0/address', NATIVE, 'route/address-of-a-pool'),
    [(b) => (b.routes[0].address = NATIVE), { query: { useRfq: 'true' } }, notJudged],
    [
      (b) => (b.routes[0].address = NATIVE),
      { query: { useRfq: 'false' } },
      'route/address-of-a-pool at /routes/0/address',
    ],
    [{ origin: 'body-only' }, notJudged],
  ]),
);

testSettlements(rules, {
  'as-returned': [
    [{}],
    [{ poolsWithoutCode: [POOL_2, POOL] }, `execution/pools-are-contracts: no code at ${POOL_2}`],
  ],
});
