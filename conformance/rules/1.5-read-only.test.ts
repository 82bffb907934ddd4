import { RELATION } from '../rule-kit/probe-kinds.testing.ts';
import { testProbes } from '../rule-kit/probes.testing.ts';
import { fewer, where } from '../rule-kit/sabotage.testing.ts';
import { rules } from './1.5-read-only.ts';

testProbes(rules, {
  'relation/repeats': {
    ...RELATION,
    cases: [[where(({ repeats }) => repeats === 1, fewer)]],
  },
});
