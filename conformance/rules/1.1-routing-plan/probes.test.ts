import { testProbes } from '../../rule-kit/probes.testing.ts';
import { has, refuse, where } from '../../rule-kit/sabotage.testing.ts';
import { rules } from './probes.ts';

const untraded = { markets: new Map() };

testProbes(rules, {
  'plan/returned': {
    'could not run': 'unknown',
    cases: [
      [refuse],
      [
        refuse,
        untraded,
        'a plan for some pair of the tokens that /tokens lists | none for any pair; here 400 "NO"',
      ],
      [() => 'no reply', untraded, 'could-not-run'],
    ],
    asks: [],
  },
  'plan/pairs-observed': { 'could not run': 'unknown untraded' },
  'plan/returned-for-buy-amount': {
    'could not run': 'unknown untraded silent 500',
    fails: '404 501 401',
    cases: [[where(has('buyAmount'), refuse), '400 "NO", and no plan for any of 8']],
  },
});
