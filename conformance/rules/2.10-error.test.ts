import { around, fields, on, testReplies, wrong } from '../rule-kit/replies.testing.ts';
import { rules } from './2.10-error.ts';

testReplies(
  rules,
  on('error', [
    around({}),
    around({ status: 500 }),
    around({ status: 200 }, 'nothing applies'),
    around({ status: 422 }, 'nothing applies'),
    around({ document: { kind: 'not-json', reason: 'ends in mid-value' } }, 'nothing applies'),
    around({ body: 'no' }, 'nothing applies'),
    around({ body: [] }, 'nothing applies'),
    [
      (b) => Object.assign(b, { error: 5, message: 5 }),
      ['error/error at /error', 'error/message at /message', 'error/not-blank n/a'],
    ],
    [(b) => delete b.details, 'error/details n/a'],
    ...fields('error', '', { error: 5, message: null, 'details?': 'none' }),
    wrong('/message', '', 'error/not-blank'),
    wrong('/error', ' ', 'error/not-blank'),
  ]),
);
