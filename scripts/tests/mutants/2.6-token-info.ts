import type { MutantTable } from './faults/mutant.ts';
import { everyNth } from './faults/occasions.ts';
import { put } from './faults/put.ts';
import { misread } from './faults/requests.ts';

/** @see Specification 2.6 */
export const tokenInfoMutants: MutantTable = {
  'tokens/of-another-chain-at-times': {
    caughtBy: 'token-info/repeats',
    title: 'one list in ten belongs to another chain',
    when: everyNth(10, 'tokens'),
    of: 'tokens',
    query: misread('chainId', /^3133[78]$/, (id) => (id === '31337' ? '31338' : '31337')),
  },
  'token-info/decimals-change': {
    caughtBy: 'token-info/repeats',
    title: 'every second reply has 18 decimals for tokens that have 6',
    when: everyNth(2, 'tokens'),
    tokens: put('*', ({ decimals }) => decimals === 6 && { decimals: 18 }),
  },
};
