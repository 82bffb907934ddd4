import { POOL, POOL_2, testSettlements } from '../rule-kit/settlements.testing.ts';
import { rules } from './2.4-route.ts';

testSettlements(rules, {
  'as-returned': [
    [{}],
    [{ poolsWithoutCode: [POOL_2, POOL] }, `execution/pools-are-contracts: no code at ${POOL_2}`],
  ],
});
