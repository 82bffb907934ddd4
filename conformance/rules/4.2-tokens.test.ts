import { goldenTokens } from '../model/golden-replies.testing.ts';
import { keyRequired } from '../rule-kit/probe-kinds.testing.ts';
import { testProbes } from '../rule-kit/probe-table.testing.ts';
import { asItIs, testReplyRules } from '../rule-kit/reply-table.testing.ts';
import { rules } from './4.2-tokens.ts';

testReplyRules(rules, [
  [
    goldenTokens,
    { endpoint: 'tokens' },
    [
      [asItIs, []],
      [asItIs, ['nothing applies'], { status: 400 }],
      [asItIs, ['nothing applies'], { document: { kind: 'not-json', reason: 'empty' } }],
      [(b) => (b[0] = 'token'), ['tokens/response at the top']],
      [asItIs, ['tokens/response at the top: {}'], { body: {} }],
    ],
  ],
]);

testProbes(rules, { 'tokens/key-required': keyRequired('tokens', 'unknown silent') });
