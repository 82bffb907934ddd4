import type { MutantTable } from './faults/mutant.ts';

/** @see Specification 2.10 */
export const errorMutants: MutantTable = {
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
