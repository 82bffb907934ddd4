import { fieldMutants } from './faults/fields.ts';
import type { MutantTable } from './faults/mutant.ts';
import { put } from './faults/put.ts';
import { isNativeBought, isNativeSold, not } from './faults/requests.ts';

/** @see Specification 2.2 and 4.1 rule 5 */
export const tradeTokenMutants: MutantTable = {
  ...fieldMutants({
    rules: 'trade-token/',
    reply: 'plan',
    path: 'sell',
    fields: {
      referenceId: ['absent', 'as-text'],
      amount: ['as-number'],
      wrapFromNative: [{ slug: 'as-text', is: '"true"', of: () => 'true' }, 'null'],
    },
  }),
  ...fieldMutants({
    rules: 'trade-token/',
    reply: 'plan',
    path: 'buy',
    fields: {
      referenceId: ['as-fraction', 'null'],
      amount: ['absent'],
      unwrapToNative: [{ slug: 'as-number', is: '1', of: () => 1 }],
    },
  }),
  'trade-token/sell-dangling': {
    caughtBy: 'trade-token/reference-resolves',
    title: '`sell.referenceId` is one more than any entry of `tokens` has',
    plan: put('sell', (_, { tokens }) => ({ referenceId: tokens.length })),
  },
  'trade-token/buy-dangling': {
    caughtBy: 'trade-token/reference-resolves',
    title: '`buy.referenceId` is too high by the number of tokens',
    plan: put('buy', ({ referenceId }, { tokens }) => ({
      referenceId: referenceId + tokens.length,
    })),
  },
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
  'trade-token/flags-on-the-other-side': {
    caughtBy: 'trade-token/flags-on-native-sides',
    title: 'the flags stand on the side that is not native',
    plan: ({ sell, buy }) => {
      const { wrapFromNative } = sell;
      if (wrapFromNative === undefined) return;
      delete sell.wrapFromNative;
      buy.unwrapToNative = wrapFromNative;
    },
  },
  'trade-token/native-unsaid': {
    caughtBy: 'trade-token/native-sides-flagged',
    title: 'the plan trades the wrapped token for native and does not say so',
    plan: ({ sell, buy }) => {
      delete sell.wrapFromNative;
      delete buy.unwrapToNative;
    },
  },
};
