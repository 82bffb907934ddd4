import { keyRequired } from '../rule-kit/probe-kinds.testing.ts';
import { testProbes } from '../rule-kit/probes.testing.ts';
import { on, testReplies } from '../rule-kit/replies.testing.ts';
import { rules } from './4.2-tokens.ts';

testReplies(
  rules,
  on('tokens', [
    [{ document: { kind: 'not-json', reason: 'empty' } }, 'nothing applies'],
    [(b) => (b[0] = 'token'), 'tokens/response at the top'],
    [{ body: {} }, 'tokens/response at the top: {}'],
  ]),
);

testProbes(rules, { 'tokens/key-required': keyRequired('tokens', 'unknown silent') });
