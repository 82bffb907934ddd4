import { expect, test } from 'vitest';
import type { SettlementRule } from '../../model/rule.ts';
import { NATIVE_TOKEN } from '../../model/settlement.ts';
import type { Address } from '../../model/trade-request.ts';
import {
  BOUGHT,
  did,
  exactOutput,
  fromNative,
  MIDDLE,
  mined,
  moved,
  OTHER,
  POOL,
  PROXY,
  RECEIVER,
  ROUTER,
  reverted,
  type SettlementRow,
  SOLD,
  sound,
  testSettlements,
  USER,
} from '../../rule-kit/settlements.testing.ts';
import { rules } from './settlement.ts';

type Row = SettlementRow<'as-returned'>;
/** One account has more or less of one token. */
const holds = (
  token: Address,
  holder: Address,
  change: bigint,
  ...said: readonly string[]
): Row => [{ effects: moved(token, holder, change) }, ...said];
const taken = (_: Address) => `execution/touches-no-other-token: 1 taken`;
const early = 'execution/settles-at-once n/a';
const unswapped = 'execution/converts-all n/a';
const astray = (amount: number, _: Address, to: Address) =>
  `execution/converts-all: ${amount} paid to ${to}`;
const stays = (amount: number, _: Address, keeper: Address) =>
  `execution/nothing-stays: ${amount} more in ${keeper}`;

testSettlements(rules, {
  'as-returned': [
    [{}],
    [
      { effects: reverted, effectsLater: reverted },
      'execution/settles at /calldata: TRANSFER_FAILED',
      early,
      'execution/outlives-a-minute n/a',
      'execution/sells-exactly n/a',
      'execution/touches-no-other-token n/a',
      unswapped,
      'execution/quote-exact n/a',
      'execution/nothing-stays n/a',
    ],
    [{ failedBefore: 2 }, early],
    [{ request: { ...sound.request, slippageBps: 500 } }],
    [
      { request: { ...sound.request, slippageBps: 500 }, failedBefore: 2 },
      'execution/settles-at-once: it settled after calldata that reverted, 2 of 3',
    ],
    [{ blockGasLimit: undefined }, 'execution/gas-limit-fits n/a'],
    [{ blockGasLimit: 400_000n }],
    [{ blockGasLimit: 399_999n }, 'execution/gas-limit-fits: 400000'],
    [{ transactionGasCap: 399_999n }, 'execution/gas-limit-fits: 400000'],
    [{ blockGasLimit: undefined, transactionGasCap: 400_000n }],
    [{ effectsLater: reverted }, 'execution/outlives-a-minute: TRANSFER_FAILED'],
    [{ routerHasCode: false }, `execution/router-is-contract: no code at ${ROUTER}`],
    [{ mined: undefined }, 'execution/gas-limit n/a', unswapped],
    [{ mined: { kind: 'refused', reason: 'no gas' } }, 'execution/gas-limit: no gas', unswapped],
    [
      { mined: mined(399_999n, false) },
      'execution/gas-limit: it failed after 399999 gas: it ran out of gas',
      unswapped,
    ],
    [{ effects: did(10_001n, 20_000n) }, 'execution/sells-exactly: 10001 paid'],
    [{ effects: did(9_999n, 20_000n) }, 'execution/sells-exactly: 9999 paid'],
    [
      { request: exactOutput, effects: did(10_100n, 20_000n) },
      'execution/sells-exactly n/a',
      'execution/quote-exact: 10100: +100 bp from the quote',
    ],
    [{ request: exactOutput, effects: did(10_000n, 20_100n) }],
    [{ effects: did(10_000n, 20_001n) }, 'execution/quote-exact: 20001: +0.5 bp from the quote'],
    [{ effects: did(10_000n, 19_900n) }, 'execution/quote-exact: 19900: -50 bp from the quote'],
    [{ unmoved: false, effects: did(10_000n, 1n) }, 'execution/quote-exact n/a'],
    [{ unmoved: false, yieldBeside: 20_004n }],
    [{ unmoved: false, yieldBeside: 20_005n }, 'execution/quote-exact: 20000: -2.49 bp from that'],
    [{ unmoved: false, yieldBeside: 20_201n }, 'execution/quote-exact n/a'],
    [
      { plan: { ...sound.plan, buy: { token: BOUGHT, amount: 0n } } },
      'execution/quote-exact: 20000: 0 bp from the quote',
    ],
    ...[NATIVE_TOKEN, MIDDLE, BOUGHT, OTHER].map((token) => holds(token, USER, -1n, taken(token))),
    holds(OTHER, USER, 1n),
    [{ taken: [{ token: POOL, amount: 1n }] }, taken(POOL)],
    [{ strays: [{ token: BOUGHT, to: OTHER, amount: 1n }] }, astray(1, BOUGHT, OTHER)],
    // 20,000 flow of what is bought: 100,000 ppm of it and 2 may go astray.
    [{ strays: [{ token: BOUGHT, to: OTHER, amount: 2_002n }] }, 100_000],
    [
      { strays: [{ token: BOUGHT, to: OTHER, amount: 2_003n }] },
      100_000,
      astray(2_003, BOUGHT, OTHER),
    ],
    holds(SOLD, RECEIVER, 1n, astray(1, SOLD, RECEIVER)),
    [
      { request: fromNative, effects: moved(NATIVE_TOKEN, RECEIVER, 1n) },
      astray(1, NATIVE_TOKEN, RECEIVER),
    ],
    [
      {
        holders: { ...sound.holders, receiver: USER },
        effects: moved(SOLD, USER, 1n),
      },
    ],
    holds(OTHER, ROUTER, -1n),
    [{ request: fromNative, effects: moved(NATIVE_TOKEN, USER, -10_000n) }],
    [{ request: fromNative, effects: moved(SOLD, USER, -1n) }, taken(SOLD)],
    ...[ROUTER, PROXY].flatMap((keeper) =>
      [NATIVE_TOKEN, SOLD, MIDDLE, BOUGHT].map((token) =>
        holds(token, keeper, 1n, stays(1, token, keeper)),
      ),
    ),
    holds(MIDDLE, ROUTER, -1n),
    [
      {
        holders: { ...sound.holders, proxy: undefined },
        effects: moved(MIDDLE, PROXY, 1n),
      },
    ],
    // A ten-thousandth of what is sold is dust, more of it is kept.
    ...[ROUTER, PROXY].map((keeper) =>
      holds(SOLD, keeper, 2n, stays(2, SOLD, keeper), astray(2, SOLD, keeper)),
    ),
    [
      { request: fromNative, effects: moved(NATIVE_TOKEN, ROUTER, 2n) },
      stays(2, NATIVE_TOKEN, ROUTER),
      astray(2, NATIVE_TOKEN, ROUTER),
    ],
    // 5,000 flow of the middle token: 100,000 ppm of it and 2 may stay.
    [{ effects: moved(MIDDLE, ROUTER, 502n) }, 100_000],
    [{ effects: moved(MIDDLE, ROUTER, 503n) }, 100_000, stays(503, MIDDLE, ROUTER)],
    [
      { effects: moved(SOLD, ROUTER, 1_003n) },
      100_000,
      stays(1_003, SOLD, ROUTER),
      astray(1_003, SOLD, ROUTER),
    ],
  ],
});

test('gas used -> its share of the limit, median and most', () => {
  const gasLimit = rules.find(({ id }) => id === 'execution/gas-limit') as SettlementRule;
  const used = (gasUsed: bigint, success?: boolean) => ({
    ...sound,
    mined: mined(gasUsed, success),
  });
  const failed = used(400_000n, false);
  expect(gasLimit.observe?.([used(390_000n), failed, used(100_000n), used(250_000n)])).toBe(
    'used 62.5 % of `gasLimit` in the median, 97.5 % at most',
  );
  expect(gasLimit.observe?.([failed])).toBe('no transaction succeeded');
});

test('trades that reverted when first asked for -> are counted', () => {
  const atOnce = rules.find(({ id }) => id === 'execution/settles-at-once');
  const items = [0, 2, 1, 0].map((failedBefore) => ({ ...sound, failedBefore }));
  expect(atOnce?.observe?.(items)).toBe(
    '2 of 4 trades reverted when first asked for, at any tolerance',
  );
});
