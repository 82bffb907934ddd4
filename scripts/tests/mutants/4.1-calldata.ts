import type { MutantTable } from './faults/mutant.ts';
import { isCalldata, not } from './faults/requests.ts';

/** @see Specification 4.1 rules 2, 3 and 4 */
export const calldataMutants: MutantTable = {
  'swap/calldata-unasked': {
    caughtBy: 'swap/calldata-only-if-requested',
    title: 'every plan has `routerAddress`, `calldata` and `gasLimit`',
    where: not(isCalldata),
    plan: (plan) => ({
      ...plan,
      routerAddress: plan.routes[0]?.address,
      calldata: '0x00',
      gasLimit: '21000',
    }),
  },
  'swap/calldata-as-soon-as-it-can-be': {
    caughtBy: 'swap/calldata-only-if-requested',
    title: 'calldata is returned whenever its parameters are present',
    where: (query) => query.has('userAddress') && query.has('slippageTolerance'),
    query: (query) => query.set('includeCalldata', 'true'),
  },
  'swap/calldata-null-unasked': {
    caughtBy: 'swap/calldata-only-if-requested',
    title: 'fields that were not requested are null',
    where: not(isCalldata),
    plan: (plan) => ({ ...plan, routerAddress: null, calldata: null, gasLimit: null }),
  },
  'swap/gas-limit-withheld': {
    caughtBy: 'swap/calldata-complete',
    title: 'calldata lacks `gasLimit`',
    plan: (plan) => ({ ...plan, gasLimit: undefined }),
  },
  'swap/router-address-withheld': {
    caughtBy: 'swap/calldata-as-requested',
    title: 'calldata lacks `routerAddress`',
    plan: (plan) => ({ ...plan, routerAddress: undefined }),
  },
};
