import { alterError } from './alter-reply.ts';
import { absent, asArray, asNull, asText, becomes, fieldMutants } from './fields.ts';
import type { Mutant } from './mutant.ts';

const shapes = fieldMutants({
  section: '2.10',
  slug: 'error',
  operation: 'error',
  path: [],
  rows: [
    ['error', absent, becomes('as-code', 'a number', () => 1001)],
    ['message', absent, asNull, asArray],
    ['details', asNull, asText, becomes('as-number', 'a number', () => 0)],
  ],
});

const values: readonly Mutant[] = [
  {
    id: 'error/message-blank',
    clause: '2.10 message',
    caughtBy: 'error/not-blank',
    title: '`message` is an empty text',
    middleware: () => alterError((error) => ({ ...error, message: '' })),
  },
  {
    id: 'error/body-as-text',
    clause: '4 error body',
    caughtBy: 'error/body',
    title: 'the body of a 400 is a JSON string',
    middleware: () => alterError(({ message }) => message),
  },
  {
    id: 'error/body-as-array',
    clause: '4 error body',
    caughtBy: 'error/body',
    title: 'the body of a 400 is an array of Errors',
    middleware: () => alterError((error) => [error]),
  },
  {
    id: 'error/nested',
    clause: '2.10 message',
    caughtBy: 'error/message',
    title: '`message` stands inside `error`',
    middleware: () => alterError((error) => ({ error })),
  },
];

/** @see Specification 2.10 */
export const errorMutants: readonly Mutant[] = [...shapes, ...values];
