import type { MutantTable } from './faults/mutant.ts';
import { putTokenOf } from './faults/plans.ts';
import { put } from './faults/put.ts';

/** @see Specification 2.3 */
export const tokenMutants: MutantTable = {
  'token/symbol-disagrees': {
    caughtBy: 'token/symbol-as-listed',
    title: '`symbol` lacks characters beyond ASCII',
    plan: put('tokens.*', ({ symbol }) => ({ symbol: symbol.replace(/[^ -~]/gu, '?') })),
  },
  'token/price-of-a-base-unit': {
    caughtBy: 'swap/usd-values-agree',
    title: '`usdPrice` of the buy token is divided by a thousand',
    plan: putTokenOf('buy', ({ usdPrice }) => ({ usdPrice: usdPrice / 1_000 })),
  },
};
