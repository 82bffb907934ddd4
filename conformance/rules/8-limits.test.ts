import { ACCEPTED, refused } from '../rule-kit/probe-kinds.testing.ts';
import { testProbes } from '../rule-kit/probes.testing.ts';
import { answer, both, has, not, refuse, where } from '../rule-kit/sabotage.testing.ts';
import { rules } from './8-limits.ts';

const broken = answer(500);
const isOtherTolerance = both(has('slippageTolerance'), not(has('slippageTolerance', '0.01')));
const tolerances = [
  ...['0', '0.0001', '0.0003', '0.0005', '0.0007', '0.005'],
  ...['0.07', '0.29', '0.9999', '1'],
];

testProbes(rules, {
  'swap/slippage-bounds': {
    ...ACCEPTED,
    cases: [
      [where(has('slippageTolerance', '1'), refuse), ...refused('slippageTolerance=1')],
      [where(has('slippageTolerance', '0'), refuse), ...refused('slippageTolerance=0')],
      [where(has('slippageTolerance', '0.0003'), refuse), ...refused('slippageTolerance=0.0003')],
      [
        where(isOtherTolerance, refuse),
        ...refused(...tolerances.map((value) => `slippageTolerance=${value}`)),
      ],
    ],
  },
  'swap/smallest-amounts': {
    'could not run': 'unknown untraded silent 500',
    'fails in part': '200 404 501 401',
    cases: [
      [where(has('sellAmount', '0'), answer(200, {})), '400 for `sellAmount=0` | 200'],
      [where(has('buyAmount', '0'), answer(404)), '400 for `buyAmount=0` | 404'],
      [
        where(has('buyAmount', '1'), answer(404)),
        'the status of other trades without a plan | 404 "NO"',
      ],
      [where(has('sellAmount', '1'), broken), '200 or 400 for `sellAmount=1`, or'],
      // Other trades without a plan have that status as well.
      [where(has('sellAmount', RegExp(`^(1|${1n << 200n})$`)), answer(409))],
      [where(has('sellAmount', RegExp(`^(1|${1n << 200n})$`)), broken)],
    ],
    asks: [
      'swap sellAmount=0',
      'swap sellAmount=1',
      'swap -sellAmount buyAmount=0',
      'swap -sellAmount buyAmount=1',
      '...',
    ],
  },
  'endpoint/request-size-observed': {
    'could not run': 'unknown untraded',
    asks: [
      'swap unknown=1',
      'swap unknown=x*4096',
      'swap unknown=x*65536',
      'swap sellAmount=9*1000',
    ],
  },
});
