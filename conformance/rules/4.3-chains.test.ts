import { keyRequired } from '../rule-kit/probe-kinds.testing.ts';
import { testProbes } from '../rule-kit/probes.testing.ts';
import { on, testReplies } from '../rule-kit/replies.testing.ts';
import { rules } from './4.3-chains.ts';

testReplies(
  rules,
  on('chains', [
    [{ body: {} }, 'chains/response at the top: {}', 'chains/not-empty n/a'],
    [(b) => (b[0] = 5), 'chains/response at the top'],
    [(b) => b.splice(0), 'chains/not-empty at the top: []'],
  ]),
);

testProbes(rules, { 'chains/key-required': keyRequired('chains', 'silent') });
