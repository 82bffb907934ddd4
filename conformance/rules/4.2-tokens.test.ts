import { keyRequired } from '../rule-kit/probe-kinds.testing.ts';
import { testProbes } from '../rule-kit/probes.testing.ts';
import { around, on, testReplies } from '../rule-kit/replies.testing.ts';
import { rules } from './4.2-tokens.ts';

testReplies(
  rules,
  on('tokens', [
    around({}),
    around({ status: 400 }, 'nothing applies'),
    around({ document: { kind: 'not-json', reason: 'empty' } }, 'nothing applies'),
    [(b) => (b[0] = 'token'), 'tokens/response at the top'],
    around({ body: {} }, 'tokens/response at the top: {}'),
  ]),
);

testProbes(rules, { 'tokens/key-required': keyRequired('tokens', 'unknown silent') });
