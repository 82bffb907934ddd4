import type { SettlementRule } from '../model/rule.ts';
import { account, amountIn, quote, reason, words } from '../model/statement.ts';
import { faultUnless } from '../rule-kit/faults.ts';
import { findMismatch } from '../rule-kit/pool-payments.ts';
import { settlementRules } from '../rule-kit/rules-by-id.ts';

const FAULTS = {
  failed: 'pool-fails',
  taken: 'pool-takes-less',
  paid: 'pool-pays-less',
  more: 'pool-pays-more',
} as const;

/** Rules on plans that a client encodes. @see Specification 1.2 */
export const rules: readonly SettlementRule[] = settlementRules('through-pools', {
  'execution/through-pools': {
    clause: '1.2 encoding',
    should: 'returns plans whose pools take and pay the amounts of every route',
    because:
      '"A client may encode the plan itself with an encoder for a compatible router contract"',
    needs: 'a plan through pools like those of Uniswap V2 or V3',
    check: (item, t) => {
      if (item.pools.kind === 'unknown') return;
      const mismatch = findMismatch(item, item.tolerancePpm);
      if (mismatch === undefined) return t.check();
      const { step, side, planned, actual, reason: why = '' } = mismatch;
      const isMore = actual !== undefined && actual > planned.amount;
      const inToken = (units: bigint) => amountIn(units, { address: planned.token });
      const by = words`by ${account(step.pool)} of ${quote(step.source)}`;
      const drift = item.frozen ? words`` : words`, within 0.5% as the market may have moved`;
      return t.check(
        faultUnless(
          false,
          FAULTS[actual === undefined ? 'failed' : isMore ? 'more' : side],
          words`${inToken(planned.amount)} ${side} ${by}${drift}`,
          actual === undefined ? [reason(why)] : words`${inToken(actual)} ${side}`,
        ),
      );
    },
    breaks: [
      [{ poolYields: [[10_000n, 4_999n]] }, '4999 base units of MID paid'],
      [{ poolYields: [[9_999n, 5_000n]] }, '9999 base units of SELL taken'],
      [
        {
          poolYields: [
            [10_000n, 5_000n],
            [5_000n, 19_999n],
          ],
        },
        '19999 base units of BUY paid',
      ],
      // The tolerance is 1,000 ppm and 2 base units.
      [
        {
          poolYields: [
            [10_000n, 5_000n],
            [5_000n, 19_977n],
          ],
          tolerancePpm: 1_000,
        },
        '19977 base units of BUY paid',
      ],
      [{ poolYields: 'failed' }, 'TRANSFER_FAILED'],
      // The plan may round down by a ten-thousandth and 2 base units.
      [{ poolYields: [[10_000n, 5_003n]] }, '5003 base units of MID paid'],
      // The market may move by 0.5%.
      [{ frozen: false, poolYields: [[10_000n, 4_974n]] }, '4974 base units of MID paid'],
    ],
    valid: [
      {},
      {
        poolYields: [
          [10_000n, 5_002n],
          [5_002n, 20_012n],
        ],
      },
      { trade: 'exactOutput', poolYields: [[10_000n, 5_100n]] },
      // The plan sells less of the middle token than it buys, within the tolerance.
      {
        poolYields: [
          [10_000n, 5_000n],
          [4_993n, 19_972n],
        ],
        tolerancePpm: 1_000,
      },
      {
        frozen: false,
        poolYields: [
          [10_000n, 4_975n],
          [4_975n, 19_801n],
        ],
      },
    ],
    notApplicable: [{ poolYields: 'unknown' }],
  },
});
