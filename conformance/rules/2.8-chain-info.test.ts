import { goldenChainInfo } from '../model/golden-replies.testing.ts';
import { testProbes } from '../rule-kit/probes.testing.ts';
import { has, not, refuse, where } from '../rule-kit/sabotage.testing.ts';
import { rules } from './2.8-chain-info.ts';

testProbes(rules, {
  'swap/routers-plan': {
    'could not run': 'unknown untraded',
    fails: 'silent 404 501 500 401',
    cases: [
      [where(has('router', 'service-router'), refuse), 'service-router'],
      [refuse, 'default-router', 'service-router'],
      [where(not(has('buyToken', /^0xd/)), refuse)],
      [
        refuse,
        { chainInfo: new Map([[31337, { ...goldenChainInfo(), routers: [] }]]) },
        'not-applicable',
      ],
    ],
  },
});
