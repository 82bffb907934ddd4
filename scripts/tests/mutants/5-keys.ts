import type { MutantTable } from './faults/mutant.ts';
import { fill, isCalldata, isGiven } from './faults/requests.ts';

const KEY = 'demo';

/** @see Specification 5 */
export const keyMutants: MutantTable = {
  'swap/answers-calldata-without-a-key': {
    caughtBy: 'swap/key-required',
    title: 'with calldata, /swap needs no key',
    where: isCalldata,
    query: fill('apiKey', KEY),
  },
  'tokens/answers-for-one-chain-without-a-key': {
    caughtBy: 'tokens/key-required',
    title: '/tokens needs no key for chain 31338',
    of: 'tokens',
    where: isGiven('chainId', '31338'),
    query: fill('apiKey', KEY),
  },
};
