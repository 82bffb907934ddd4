import { goldenChains } from '../model/golden-replies.testing.ts';
import { keyRequired } from '../rule-kit/probe-kinds.testing.ts';
import { testProbes } from '../rule-kit/probe-table.testing.ts';
import { asItIs, testReplyRules } from '../rule-kit/reply-table.testing.ts';
import { rules } from './4.3-chains.ts';

testReplyRules(rules, [
  [
    goldenChains,
    { endpoint: 'chains' },
    [
      [asItIs, []],
      [asItIs, ['nothing applies'], { status: 400 }],
      [asItIs, ['chains/response at the top: {}', 'chains/not-empty n/a'], { body: {} }],
      [(b) => (b[0] = 5), ['chains/response at the top']],
      [(b) => b.splice(0), ['chains/not-empty at the top: []']],
    ],
  ],
]);

testProbes(rules, { 'chains/key-required': keyRequired('chains', 'silent') });
