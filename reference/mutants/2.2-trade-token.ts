import { planMutant } from './body-mutant.ts';
import { absent, asFraction, asNull, asNumber, asText, becomes, fieldMutants } from './fields.ts';
import type { Mutant } from './mutant.ts';

const shapes = (['sell', 'buy'] as const).flatMap((side) =>
  fieldMutants({
    section: '2.2',
    slug: 'trade-token',
    operation: 'swap',
    path: [side],
    rows:
      side === 'sell'
        ? [
            ['referenceId', absent, asText],
            ['amount', asNumber],
            ['wrapFromNative', becomes('as-text', '"true"', () => 'true'), asNull],
          ]
        : [
            ['referenceId', asFraction, asNull],
            ['amount', absent],
            ['unwrapToNative', becomes('as-number', '1', () => 1)],
          ],
  }),
);

const NATIVE = /^0x(0{40}|e{40})$/i;

const values: readonly Mutant[] = [
  planMutant(
    'trade-token/sell-dangling',
    '2.2 referenceId',
    'trade-token/reference-resolves',
    '`sell.referenceId` is one more than any entry of `tokens` has',
    (plan) => {
      plan.sell.referenceId = plan.tokens.length;
    },
  ),
  planMutant(
    'trade-token/buy-dangling',
    '2.2 referenceId',
    'trade-token/reference-resolves',
    '`buy.referenceId` counts from 1, where `tokens` counts from 0',
    (plan) => {
      plan.buy.referenceId = plan.tokens.length + plan.buy.referenceId;
    },
  ),
  planMutant(
    'trade-token/wraps-what-is-not-native',
    '4.1 rule 5',
    'trade-token/flags-on-native-sides',
    '`wrapFromNative` is true for the wrapped token too',
    (plan, query) => {
      if (!NATIVE.test(query.get('sellToken') ?? '')) plan.sell.wrapFromNative = true;
    },
  ),
  planMutant(
    'trade-token/unwraps-what-is-not-native',
    '4.1 rule 5',
    'trade-token/flags-on-native-sides',
    '`unwrapToNative` is true for any buy token',
    (plan, query) => {
      if (!NATIVE.test(query.get('buyToken') ?? '')) plan.buy.unwrapToNative = true;
    },
  ),
  planMutant(
    'trade-token/flags-on-the-other-side',
    '4.1 rule 5',
    'trade-token/flags-on-native-sides',
    'the flags stand on the side that is not native',
    ({ sell, buy }) => {
      const { wrapFromNative } = sell;
      if (wrapFromNative === undefined) return;
      delete sell.wrapFromNative;
      buy.unwrapToNative = wrapFromNative;
    },
  ),
  planMutant(
    'trade-token/native-unsaid',
    '2.2 wrapFromNative',
    'trade-token/native-sides-flagged',
    'the plan trades the wrapped token for native and does not say so',
    ({ sell, buy }) => {
      delete sell.wrapFromNative;
      delete buy.unwrapToNative;
    },
  ),
];

/** @see Specification 2.2 and 4.1 rule 5 */
export const tradeTokenMutants: readonly Mutant[] = [...shapes, ...values];
