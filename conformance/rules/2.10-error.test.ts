import { goldenError } from '../model/golden-replies.testing.ts';
import { asItIs, fieldRows, testReplyRules } from '../rule-kit/reply-table.testing.ts';
import { rules } from './2.10-error.ts';

testReplyRules(rules, [
  [
    goldenError,
    { status: 400 },
    [
      [asItIs, []],
      [asItIs, [], { status: 500 }],
      [asItIs, ['nothing applies'], { status: 200 }],
      [asItIs, ['nothing applies'], { status: 422 }],
      [
        asItIs,
        ['nothing applies'],
        { document: { kind: 'not-json', reason: 'ends in mid-value' } },
      ],
      [asItIs, ['nothing applies'], { body: 'no' }],
      [asItIs, ['nothing applies'], { body: [] }],
      [
        (b) => Object.assign(b, { error: 5, message: 5 }),
        ['error/error at /error', 'error/message at /message', 'error/not-blank n/a'],
      ],
      [(b) => delete b.details, ['error/details n/a']],
      ...fieldRows('error', '', { error: 5, message: null, 'details?': 'none' }),
      [(b) => (b.message = ''), ['error/not-blank at /message: ""']],
      [(b) => (b.error = ' '), ['error/not-blank at /error: " "']],
    ],
  ],
]);
