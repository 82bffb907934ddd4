import type { RouterInfo } from '../contract/resources.ts';
import { goldenChainInfo } from '../model/golden-replies.testing.ts';
import { modelMarket } from '../model/model-market.testing.ts';
import { testProbes } from '../rule-kit/probes.testing.ts';
import { has, refuse, where } from '../rule-kit/sabotage.testing.ts';
import { rules } from './2.9-router-info.ts';

const routers = (...listed: readonly RouterInfo[]) => ({
  chainInfo: new Map([[31337, { ...goldenChainInfo(), routers: listed }]]),
});

testProbes(rules, {
  'swap/encoders-encode': {
    'does not apply': 'unknown',
    'could not run': 'untraded',
    fails: 'silent 404 501 500 401',
    cases: [
      [where(has('includeCalldata', 'true'), refuse), 'default-router'],
      [refuse, routers(goldenChainInfo().routers[1]), 'not-applicable'],
      [
        refuse,
        { markets: new Map([[31337, { ...modelMarket, addresses: 'other' }]]) },
        'not-applicable',
      ],
    ],
  },
});
