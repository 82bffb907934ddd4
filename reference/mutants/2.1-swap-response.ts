import { planMutant } from './body-mutant.ts';
import {
  absent,
  appears,
  asArray,
  asNull,
  asNumber,
  asObject,
  asText,
  becomes,
  fieldMutants,
} from './fields.ts';
import type { Mutant } from './mutant.ts';
import { addToken } from './plan-surgery.ts';

const shapes = fieldMutants({
  section: '2.1',
  slug: 'swap-response',
  operation: 'swap',
  path: [],
  rows: [
    ['aggregator', absent, asNull],
    ['router', absent, asArray],
    ['sell', absent, asArray],
    ['buy', absent, becomes('as-amount', 'a bare amount', () => '1')],
    ['nativeTokenUsdPrice', absent, asText, asNull],
    ['tokens', absent, asObject],
    ['routes', absent, asNull, becomes('nested', 'an array of arrays', asNested)],
    ['routerAddress', asNull],
    ['calldata', asObject],
    ['gasLimit', asNumber, appears('null-unasked', 'null', null)],
  ],
});

/** `gasLimit: null` where no calldata was asked for is a matter of type first. */
function asNested(routes: unknown): unknown {
  return [routes];
}

const values: readonly Mutant[] = [
  planMutant(
    'swap-response/router-off-the-enumeration',
    '2.1 router',
    'swap-response/router-name',
    '`router` is a name that section 2.9 does not have',
    (plan) => {
      plan.router = 'defaultRouter';
    },
  ),
  planMutant(
    'swap-response/router-address-of-another',
    '2.9 deployedAddress',
    'swap-response/router-address-deployed',
    '`routerAddress` is the address of a pool',
    (plan) => {
      const pool = plan.routes[0]?.address;
      if (plan.routerAddress !== undefined && pool !== undefined) plan.routerAddress = pool;
    },
  ),
  planMutant(
    'swap-response/router-address-cut',
    '2.1 routerAddress',
    'swap-response/router-address-hex',
    '`routerAddress` lacks its last digit',
    (plan) => {
      if (plan.routerAddress !== undefined) plan.routerAddress = plan.routerAddress.slice(0, -1);
    },
  ),
  planMutant(
    'swap-response/calldata-odd-length',
    '2.1 calldata',
    'swap-response/calldata-hex',
    '`calldata` has an odd number of hex digits',
    (plan) => {
      if (plan.calldata !== undefined) plan.calldata = plan.calldata.slice(0, -1);
    },
  ),
  planMutant(
    'swap-response/calldata-without-0x',
    '2.1 calldata',
    'swap-response/calldata-hex',
    '`calldata` does not begin with 0x',
    (plan) => {
      if (plan.calldata !== undefined) plan.calldata = plan.calldata.slice(2);
    },
  ),
  planMutant(
    'swap-response/calldata-empty',
    '2.1 calldata',
    'swap-response/calldata-hex',
    '`calldata` is 0x alone',
    (plan) => {
      if (plan.calldata !== undefined) plan.calldata = '0x';
    },
  ),
  planMutant(
    'swap-response/gas-limit-zero',
    '2.1 gasLimit',
    'swap-response/gas-limit-positive',
    '`gasLimit` is "0"',
    (plan) => {
      if (plan.gasLimit !== undefined) plan.gasLimit = '0';
    },
  ),
  planMutant(
    'swap-response/gas-limit-in-hex',
    '2.1 gasLimit',
    'swap-response/gas-limit-positive',
    '`gasLimit` is in hex',
    (plan) => {
      if (plan.gasLimit !== undefined) plan.gasLimit = `0x${BigInt(plan.gasLimit).toString(16)}`;
    },
  ),
  planMutant(
    'swap-response/native-price-negative',
    '2.1 nativeTokenUsdPrice',
    'swap-response/native-price-not-negative',
    '`nativeTokenUsdPrice` is -1',
    (plan) => {
      plan.nativeTokenUsdPrice = -1;
    },
  ),
  planMutant(
    'swap-response/token-without-use',
    '2.1 tokens',
    'swap-response/tokens-used',
    '`tokens` lists a token that the plan does not touch',
    (plan) => {
      addToken(plan);
    },
  ),
];

/** @see Specification 2.1 */
export const swapResponseMutants: readonly Mutant[] = [...shapes, ...values];
