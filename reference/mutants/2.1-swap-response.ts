import { fieldMutants } from './faults/fields.ts';
import type { MutantTable } from './faults/mutant.ts';
import { addToken, encoded } from './faults/plans.ts';

/** @see Specification 2.1 */
export const swapResponseMutants: MutantTable = {
  ...fieldMutants({
    rules: 'swap-response/',
    reply: 'plan',
    fields: {
      aggregator: ['absent', 'null'],
      router: ['absent', 'as-array'],
      sell: ['absent', 'as-array'],
      buy: ['absent', { slug: 'as-amount', is: 'a bare amount', of: () => '1' }],
      nativeTokenUsdPrice: ['absent', 'as-text', 'null'],
      tokens: ['absent', 'as-object'],
      routes: [
        'absent',
        'null',
        { slug: 'nested', is: 'an array of arrays', of: (routes) => [routes] },
      ],
      routerAddress: ['null'],
      calldata: ['as-object'],
      // Where no calldata was asked for, null is a matter of type first.
      gasLimit: ['as-number', { slug: 'null-unasked', is: 'null', always: null }],
    },
  }),
  'swap-response/router-off-the-enumeration': {
    caughtBy: 'swap-response/router-name',
    title: '`router` is a name that section 2.9 does not have',
    plan: (plan) => ({ ...plan, router: 'defaultRouter' }),
  },
  'swap-response/router-address-of-another': {
    caughtBy: 'swap-response/router-address-deployed',
    title: '`routerAddress` is the address of a pool',
    plan: encoded('routerAddress', (_, { routes: [first] }) => first?.address),
  },
  'swap-response/router-address-cut': {
    caughtBy: 'swap-response/router-address-hex',
    title: '`routerAddress` lacks its last digit',
    plan: encoded('routerAddress', (address) => address.slice(0, -1)),
  },
  'swap-response/calldata-odd-length': {
    caughtBy: 'swap-response/calldata-hex',
    title: '`calldata` has an odd number of hex digits',
    plan: encoded('calldata', (calldata) => calldata.slice(0, -1)),
  },
  'swap-response/calldata-without-0x': {
    caughtBy: 'swap-response/calldata-hex',
    title: '`calldata` does not begin with 0x',
    plan: encoded('calldata', (calldata) => calldata.slice(2)),
  },
  'swap-response/calldata-empty': {
    caughtBy: 'swap-response/calldata-hex',
    title: '`calldata` is 0x alone',
    plan: encoded('calldata', () => '0x'),
  },
  'swap-response/gas-limit-zero': {
    caughtBy: 'swap-response/gas-limit-positive',
    title: '`gasLimit` is "0"',
    plan: encoded('gasLimit', () => '0'),
  },
  'swap-response/native-price-negative': {
    caughtBy: 'swap-response/native-price-not-negative',
    title: '`nativeTokenUsdPrice` is -1',
    plan: (plan) => ({ ...plan, nativeTokenUsdPrice: -1 }),
  },
  'swap-response/token-without-use': {
    caughtBy: 'swap-response/tokens-used',
    title: '`tokens` lists a token that the plan does not touch',
    plan: (plan) => {
      addToken(plan);
    },
  },
};
