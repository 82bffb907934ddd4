import type { MutantTable } from './faults/mutant.ts';
import { everyNth } from './faults/occasions.ts';
import { put } from './faults/put.ts';
import { read } from './faults/requests.ts';

/** @see Specification 2.6 */
export const tokenInfoMutants: MutantTable = {
  'token-info/not-tradable': {
    caughtBy: 'lookups/tokens-tradable',
    title: 'a token is listed first that /swap does not know',
    tokens: (list) => [{ ...list[0], address: `0x${'7'.repeat(40)}`, symbol: 'GHOST' }, ...list],
  },
  'tokens/of-another-chain': {
    caughtBy: 'lookups/tokens-tradable',
    title: '/tokens lists the tokens of the first chain for every chain',
    of: 'tokens',
    query: read('chainId', /^31338$/, '31337'),
  },
  'tokens/of-another-chain-at-times': {
    caughtBy: 'token-info/repeats',
    title: 'one list in ten is that of another chain',
    when: everyNth(10, 'tokens'),
    of: 'tokens',
    query: read('chainId', /^3133[78]$/, (id) => (id === '31337' ? '31338' : '31337')),
  },
  'token-info/decimals-change': {
    caughtBy: 'token-info/repeats',
    title: 'every second reply gives 18 decimals to tokens that have 6',
    when: everyNth(2, 'tokens'),
    tokens: put('*', ({ decimals }) => decimals === 6 && { decimals: 18 }),
  },
};
