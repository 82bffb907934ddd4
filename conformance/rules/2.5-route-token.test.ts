import { fields, on, testReplies, wrong } from '../rule-kit/replies.testing.ts';
import {
  logs,
  MIDDLE,
  mined,
  POOL,
  POOL_2,
  testSettlements,
  transfer,
} from '../rule-kit/settlements.testing.ts';
import { rules } from './2.5-route-token.ts';

testReplies(
  rules,
  on('swap', [
    [(b) => (b.routes = []), 'nothing applies'],
    [(b) => delete b.sell, 'route-token/reference-resolves n/a', 'route-token/moves-something n/a'],
    ...fields('route-token', '/routes/0/fromTokens/0', { referenceId: null, amount: 1 }),
    ...fields('route-token', '/routes/2/toTokens/0', { referenceId: '1', amount: null }),
    [
      (b) => {
        b.routes[2].fromTokens[0].referenceId = 55;
        b.routes[1].toTokens[0].referenceId = 56;
      },
      'route-token/reference-resolves at /routes/1/toTokens/0/referenceId: 56, which no entry has',
      'route-token/reference-resolves at /routes/2/fromTokens/0/referenceId: 55, which no entry has',
    ],
    wrong('/routes/2/fromTokens/0/amount', '0', 'route-token/moves-something'),
  ]),
);

const notMoved = 'execution/route-amounts n/a';

testSettlements(rules, {
  'as-returned': [
    [{}],
    [{ unmoved: false }, notMoved],
    [{ mined: undefined }, notMoved],
    [{ mined: { kind: 'refused', reason: 'no' } }, notMoved],
    [{ mined: mined(1n, false) }, notMoved],
    [{ mined: mined(1n, true, []) }, notMoved],
    [
      { mined: mined(1n, true, [...logs, transfer(MIDDLE, POOL_2, POOL, 1n)]) },
      'execution/route-amounts at /routes: 4999 moved',
    ],
  ],
});
