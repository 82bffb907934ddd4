import { ACCEPTED, refused } from '../rule-kit/probe-kinds.testing.ts';
import { testProbes } from '../rule-kit/probes.testing.ts';
import { on, type Row, testReplies, wrong } from '../rule-kit/replies.testing.ts';
import { answer, both, has, not, refuse, where } from '../rule-kit/sabotage.testing.ts';
import { rules } from './8-limits.ts';

const decimals = (value: unknown, ...said: readonly string[]): Row => [
  (b) => (b.tokens[1].decimals = value),
  ...said.map((id) => `${id} at /tokens/1/decimals: ${value}`),
];
const amount = (text: unknown, ...said: readonly string[]): readonly Row[] => [
  [(b) => (b.sell.amount = text), ...said.map((id) => `${id} at /sell/amount: "${text}"`)],
  [
    (b) => (b.routes[1].toTokens[0].amount = text),
    ...said.map((id) => `${id} at /routes/1/toTokens/0/amount: "${text}"`),
  ],
];
const limited = { 'x-ratelimit-b': ['1'], 'retry-after': ['1'], 'ratelimit-a': ['1'] };

testReplies(
  rules,
  on('swap', [
    [{}, 'endpoint/rate-limits-observed: none'],
    [{ origin: 'body-only' }, 'endpoint/rate-limits-observed n/a'],
    [
      { body: { tokens: [], routes: [] } },
      'limits/plan-decimals n/a',
      'limits/amounts-decimal n/a',
      'limits/amounts-fit-uint256 n/a',
    ],
    decimals(0),
    decimals(18),
    decimals(19, 'limits/plan-decimals'),
    decimals(-1, 'limits/plan-decimals'),
    decimals('19'),
    ...amount('0x5', 'limits/amounts-decimal'),
    ...amount('1e22', 'limits/amounts-decimal'),
    ...amount('', 'limits/amounts-decimal'),
    ...amount('-1', 'limits/amounts-decimal'),
    ...amount('05'),
    ...amount(String((1n << 256n) - 1n)),
    ...amount(String(1n << 256n), 'limits/amounts-fit-uint256'),
    ...amount(5),
  ]),
  on('tokens', [
    wrong('/0/decimals', 19, 'limits/listed-decimals'),
    [(b) => b.splice(0), 'limits/listed-decimals n/a'],
  ]),
  on(
    'error',
    [
      [{}, 'endpoint/rate-limits-observed: 429'],
      [
        { status: 200, headers: { ...limited, 'x-retry-after': ['1'] } },
        'endpoint/rate-limits-observed: ratelimit-a, retry-after, x-ratelimit-b',
      ],
    ],
    { status: 429 },
  ),
);

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
    fails: '404 501 401',
    'fails in part': '200',
    cases: [
      [where(has('sellAmount', '0'), answer(200, {})), '400 for `sellAmount=0` | 200'],
      [where(has('buyAmount', '0'), answer(404)), '400 for `buyAmount=0` | 404'],
      [where(has('buyAmount', '1'), answer(404)), '200 or 400 for `buyAmount=1` | 404 "NO"'],
      [where(has('sellAmount', '1'), broken), '`sellAmount=1` | 500'],
      // What no pool can fill is answered with 500 as well.
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
