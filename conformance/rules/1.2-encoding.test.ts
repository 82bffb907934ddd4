import { did, reverted, testSettlements } from '../rule-kit/settlements.testing.ts';
import { rules } from './1.2-encoding.ts';

testSettlements(rules, {
  'own-encoding': [
    [{}],
    [{ unmoved: false }, 'execution/own-encoding n/a'],
    [{ unmoved: false, yieldBeside: 20_004n }],
    [{ unmoved: false, yieldBeside: 20_005n }, 'execution/own-encoding: 20000 received'],
    [{ unmoved: false, effects: reverted }, 'execution/own-encoding: TRANSFER_FAILED'],
    [{ effects: reverted }, 'execution/own-encoding: TRANSFER_FAILED'],
    [{ effects: did(10_000n, 19_999n) }, 'execution/own-encoding: 19999 received'],
    [{ effects: did(10_000n, 19_980n) }, 1_000],
    [{ effects: did(10_000n, 19_979n) }, 1_000, 'execution/own-encoding: 19979 received'],
  ],
});
