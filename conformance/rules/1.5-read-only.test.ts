import { goldenFacts } from '../model/golden-replies.testing.ts';
import { RELATION } from '../rule-kit/probe-kinds.testing.ts';
import { testProbes } from '../rule-kit/probes.testing.ts';
import { on, testReplies } from '../rule-kit/replies.testing.ts';
import { fewer, where } from '../rule-kit/sabotage.testing.ts';
import { rules } from './1.5-read-only.ts';

testReplies(
  rules,
  on('chains', [
    [{ facts: undefined }, 'chains/repeat n/a'],
    [{ facts: { ...goldenFacts, chains: [] } }, 'chains/repeat n/a'],
    [(b) => b.reverse()],
    [(b) => (b[0].chainId = '31337x'), 'chains/repeat at the top'],
    [(b) => delete b[0].name, 'chains/repeat at the top'],
    [(b) => b.pop(), 'chains/repeat at the top: [[31337,"Golden"]]'],
    [(b) => b.splice(0), 'chains/repeat at the top: []'],
  ]),
);

testProbes(rules, {
  'relation/repeats': {
    ...RELATION,
    cases: [[where(({ repeats }) => repeats === 1, fewer)]],
  },
});
