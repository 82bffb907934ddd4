import { goldenPlainSwap, goldenSwap, WITHOUT_CALLDATA } from '../model/golden-replies.testing.ts';
import { ACCEPTED, RELATION, refused } from '../rule-kit/probe-kinds.testing.ts';
import { testProbes } from '../rule-kit/probe-table.testing.ts';
import { asItIs, testReplyRules } from '../rule-kit/reply-table.testing.ts';
import { both, fewer, has, not, refuse, where } from '../rule-kit/sabotage.testing.ts';
import { rules } from './1.3-calldata.ts';

const missing = ['swap/calldata-complete at the top: it is missing'];
const encoded = has('includeCalldata', 'true');

testReplyRules(rules, [
  [
    goldenSwap,
    {},
    [
      [asItIs, []],
      [asItIs, ['nothing applies'], { status: 400 }],
      [(b) => delete b.routerAddress, missing],
      [(b) => delete b.gasLimit, missing],
      [(b) => delete b.gasLimit, missing, { origin: 'body-only' }],
      [(b) => delete b.calldata, ['nothing applies']],
    ],
  ],
  [goldenPlainSwap, { query: WITHOUT_CALLDATA }, [[asItIs, ['nothing applies']]]],
]);

testProbes(rules, {
  'swap/every-plan-encoded': {
    ...ACCEPTED,
    cases: [
      [where(both(has('buyAmount'), encoded), refuse), refused('includeCalldata=true')],
      [where(both(encoded, not(has('router'))), refuse), refused('includeCalldata=true')],
      [where(both(encoded, has('router')), refuse), []],
    ],
  },
  'relation/calldata-leaves-plan': { ...RELATION, cases: [[where(encoded, fewer), 'fails']] },
});
