import { ACCEPTED, RELATION, refused } from '../rule-kit/probe-kinds.testing.ts';
import { testProbes } from '../rule-kit/probes.testing.ts';
import { on, testReplies } from '../rule-kit/replies.testing.ts';
import { both, fewer, has, not, refuse, where } from '../rule-kit/sabotage.testing.ts';
import { rules } from './1.3-calldata.ts';

const missing = ['swap/calldata-complete at the top: it is missing'];
const encoded = has('includeCalldata', 'true');

testReplies(
  rules,
  on('swap', [
    [(b) => delete b.routerAddress, ...missing],
    [(b) => delete b.gasLimit, ...missing],
    [(b) => delete b.gasLimit, { origin: 'body-only' }, ...missing],
    [(b) => delete b.calldata, 'nothing applies'],
  ]),
  on('plainSwap', [[{}, 'nothing applies']]),
);

testProbes(rules, {
  'swap/every-plan-encoded': {
    ...ACCEPTED,
    cases: [
      [where(both(has('buyAmount'), encoded), refuse), ...refused('includeCalldata=true')],
      [where(both(encoded, not(has('router'))), refuse), ...refused('includeCalldata=true')],
      [where(both(encoded, has('router')), refuse)],
    ],
  },
  'relation/calldata-leaves-plan': { ...RELATION, cases: [[where(encoded, fewer), 'fails']] },
});
