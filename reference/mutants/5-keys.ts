import type { MutantTable, Operation } from './faults/mutant.ts';
import { fill, read } from './faults/requests.ts';

/** A key of the service, as `createApp` has it by default. */
const KEY = 'demo';

const keyless = (of: Operation, rule: string): MutantTable => ({
  [`${rule}/answers-without-a-key`]: {
    caughtBy: `${rule}/key-required`,
    title: `/${of} answers without a key`,
    of,
    query: fill('apiKey', KEY),
  },
});

/** @see Specification 5 */
export const keyMutants: MutantTable = {
  ...keyless('swap', 'swap'),
  ...keyless('tokens', 'tokens'),
  ...keyless('chains', 'chains'),
  ...keyless('chainInfo', 'chain-info'),
  'swap/answers-an-empty-key': {
    caughtBy: 'swap/key-required',
    title: '/swap answers where the key is there and empty',
    query: read('apiKey', /^$/, KEY),
  },
  'keys/asks-for-more': {
    caughtBy: 'keys/key-is-enough',
    title: 'every reply asks for a further credential',
    middleware: () => async (ctx, next) => {
      await next();
      ctx.set('WWW-Authenticate', 'Bearer');
    },
  },
};
