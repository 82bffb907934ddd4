import type { MutantTable, Operation } from './faults/mutant.ts';
import { fill, isCalldata, isGiven, read } from './faults/requests.ts';

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
  'swap/answers-calldata-without-a-key': {
    caughtBy: 'swap/key-required',
    title: 'with calldata /swap answers without a key',
    where: isCalldata,
    query: fill('apiKey', KEY),
  },
  'tokens/answers-for-one-chain-without-a-key': {
    caughtBy: 'tokens/key-required',
    title: '/tokens answers for chain 31338 without a key',
    of: 'tokens',
    where: isGiven('chainId', '31338'),
    query: fill('apiKey', KEY),
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
