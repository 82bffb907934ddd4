import { fields, on, testReplies, wrong } from '../rule-kit/replies.testing.ts';
import { rules } from './2.10-error.ts';

testReplies(
  rules,
  on('error', [
    [{ status: 500 }],
    [{ status: 200 }, 'nothing applies'],
    [{ status: 422 }, 'nothing applies'],
    [{ document: { kind: 'not-json', reason: 'ends in mid-value' } }, 'nothing applies'],
    [{ body: 'no' }, 'nothing applies'],
    [{ body: [] }, 'nothing applies'],
    [
      (b) => Object.assign(b, { error: 5, message: 5 }),
      'error/error at /error',
      'error/message at /message',
      'error/not-blank n/a',
    ],
    [(b) => delete b.details, 'error/details n/a'],
    ...fields('error', '', { error: 5, message: null, 'details?': 'none' }),
    wrong('/message', '', 'error/not-blank'),
    wrong('/error', ' ', 'error/not-blank'),
  ]),
);
