import type { MutantTable } from './faults/mutant.ts';
import { put } from './faults/put.ts';

/** @see Specification 8 */
export const limitMutants: MutantTable = {
  'limits/decimals-below-zero': {
    caughtBy: 'limits/plan-decimals',
    title: 'tokens without decimals have -1 in plans',
    plan: put('tokens.*', ({ decimals }) => decimals === 0 && { decimals: -1 }),
  },
};
