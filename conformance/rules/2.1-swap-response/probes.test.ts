import { testProbes } from '../../rule-kit/probes.testing.ts';
import { has, plans, where } from '../../rule-kit/sabotage.testing.ts';
import { rules } from './probes.ts';

const always = (calldata: string) => plans((body) => Object.assign(body, { calldata }));
const same = ['of half the amount', 'for another recipient', 'at a tolerance of a half'];

testProbes(rules, {
  'swap-response/calldata-differs': {
    'does not apply': 'unknown untraded',
    'could not run': 'silent large 404 501 500 401 200',
    cases: [
      [where(has('includeCalldata', 'true'), always('0x3593564c')), ...same],
      [where(has('recipientAddress'), always('0x3593564c'))],
    ],
  },
});
