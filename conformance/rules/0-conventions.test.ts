import { PATHS } from '../contract/paths.ts';
import { testProbes } from '../rule-kit/probes.testing.ts';
import { answer, at, where } from '../rule-kit/sabotage.testing.ts';
import { rules } from './0-conventions.ts';

testProbes(rules, {
  'endpoint/paths': {
    'could not run': 'silent',
    fails: '404 501',
    cases: [[where(at(PATHS.swap), answer(404)), '/api/v1.0/swap | 404 "NO"']],
    asks: ['swap -sellToken -buyToken -sellAmount', 'tokens', 'chains', 'chainInfo'],
  },
});
