import { ACCEPTED, RELATION, refused } from '../rule-kit/probe-kinds.testing.ts';
import { testProbes } from '../rule-kit/probes.testing.ts';
import { both, fewer, has, not, refuse, where } from '../rule-kit/sabotage.testing.ts';
import { rules } from './1.3-calldata.ts';

const encoded = has('includeCalldata', 'true');

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
