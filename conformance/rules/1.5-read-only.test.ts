import { goldenChains, goldenFacts } from '../model/golden-replies.testing.ts';
import { RELATION } from '../rule-kit/probe-kinds.testing.ts';
import { testProbes } from '../rule-kit/probe-table.testing.ts';
import { asItIs, testReplyRules } from '../rule-kit/reply-table.testing.ts';
import { fewer, movingMarket, where } from '../rule-kit/sabotage.testing.ts';
import { rules } from './1.5-read-only.ts';

testReplyRules(rules, [
  [
    goldenChains,
    { endpoint: 'chains' },
    [
      [asItIs, []],
      [asItIs, ['nothing applies'], { status: 400 }],
      [asItIs, ['chains/repeat n/a'], { facts: undefined }],
      [asItIs, ['chains/repeat n/a'], { facts: { ...goldenFacts, chains: [] } }],
      [(b) => b.reverse(), []],
      [(b) => (b[0].chainId = '31337x'), ['chains/repeat at the top']],
      [(b) => delete b[0].name, ['chains/repeat at the top']],
      [(b) => b.pop(), ['chains/repeat at the top: [[31337,"Golden"]]']],
      [(b) => b.splice(0), ['chains/repeat at the top: []']],
    ],
  ],
]);

testProbes(rules, {
  'relation/repeats': {
    ...RELATION,
    cases: [
      [where(({ repeats }) => repeats === 1, fewer), 'fails'],
      [movingMarket, ['could-not-run']],
    ],
  },
});
