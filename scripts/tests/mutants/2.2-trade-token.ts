import type { MutantTable } from './faults/mutant.ts';
import { put } from './faults/put.ts';
import { isNativeBought, isNativeSold, not } from './faults/requests.ts';

/** @see Specification 2.2 and 4.1 rule 5 */
export const tradeTokenMutants: MutantTable = {
  'trade-token/wraps-what-is-not-native': {
    caughtBy: 'trade-token/flags-on-native-sides',
    title: '`wrapFromNative` is true for the wrapped token too',
    where: not(isNativeSold),
    plan: put('sell', { wrapFromNative: true }),
  },
  'trade-token/unwraps-what-is-not-native': {
    caughtBy: 'trade-token/flags-on-native-sides',
    title: '`unwrapToNative` is true for any buy token',
    where: not(isNativeBought),
    plan: put('buy', { unwrapToNative: true }),
  },
};
