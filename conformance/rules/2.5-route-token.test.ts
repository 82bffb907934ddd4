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
