import { BOUGHT, MIDDLE, testSettlements } from '../../rule-kit/settlements.testing.ts';
import { rules } from './settlement.ts';

testSettlements(rules, {
  'as-returned': [
    [{}],
    [{ decimalsOnChain: new Map([[BOUGHT, 8]]) }, 'execution/token-decimals: 6'],
    [{ decimalsOnChain: new Map([[MIDDLE, 8]]) }, 'execution/token-decimals n/a'],
  ],
});
