import type { MutantTable } from './faults/mutant.ts';
import { put } from './faults/put.ts';

/** @see Specification 2.4 and 2.5 */
export const routeMutants: MutantTable = {
  'route/source-of-another-router': {
    caughtBy: 'route/name-among-sources',
    title: 'universal-router uses a source that it does not list',
    plan: put(
      'routes.-1',
      (_, { router }) => router === 'universal-router' && { name: 'SushiswapV2' },
    ),
  },
};
