import { fieldMutants } from './faults/fields.ts';
import type { MutantTable } from './faults/mutant.ts';

/** @see Specification 2.10 */
export const errorMutants: MutantTable = {
  ...fieldMutants({
    rules: 'error/',
    reply: 'error',
    fields: {
      error: ['absent', { slug: 'as-code', is: 'a number', of: () => 1001 }],
      message: ['absent', 'null', 'as-array'],
      details: ['null', 'as-text', { slug: 'as-number', is: 'a number', of: () => 0 }],
    },
  }),
  'error/message-blank': {
    caughtBy: 'error/not-blank',
    title: '`message` is an empty text',
    error: (error) => ({ ...error, message: '' }),
  },
  'error/body-as-text': {
    caughtBy: 'error/body',
    title: 'the body of a 400 is a JSON string',
    error: ({ message }) => message,
  },
  'error/body-as-array': {
    caughtBy: 'error/body',
    title: 'the body of a 400 is an array of Errors',
    error: (error) => [error],
  },
  'error/nested': {
    caughtBy: 'error/message',
    title: '`message` stands inside `error`',
    error: (error) => ({ error }),
  },
};
