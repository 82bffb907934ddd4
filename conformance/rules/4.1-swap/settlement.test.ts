import { NATIVE_TOKEN } from '../../model/settlement.ts';
import {
  BOUGHT,
  did,
  exactOutput,
  fromNative,
  moved,
  OTHER,
  RECEIVER,
  reverted,
  SOLD,
  sound,
  testSettlements,
  toNative,
  USER,
} from '../../rule-kit/settlements.testing.ts';
import { rules } from './settlement.ts';

const noOutput = ['execution/buys-at-least n/a', 'execution/buys-no-more n/a'];
const noNative = 'execution/pays-native n/a';
const notNamed = 'execution/takes-from-sender n/a';
const strayed = `execution/pays-recipient: 3 to the sender ${USER}`;
const reversed = [
  'execution/pays-recipient n/a',
  noNative,
  ...noOutput,
  'execution/within-tolerance n/a',
];

testSettlements(rules, {
  'as-returned': [
    [{}, ...noOutput, noNative],
    [{ effects: reverted }, ...reversed],
    [{ request: toNative, effects: reverted }, ...reversed],
    [{ request: exactOutput, effects: reverted }, ...reversed],
    [
      { effects: did(10_000n, 0n) },
      `execution/pays-recipient: 0 to ${RECEIVER}`,
      'execution/within-tolerance: 0 received',
    ],
    [{ effects: moved(BOUGHT, USER, 3n) }, strayed],
    [{ effects: moved(BOUGHT, USER, 0n) }],
    [
      {
        holders: { ...sound.holders, receiver: USER },
        effects: moved(BOUGHT, USER, 20_000n),
      },
    ],
    [{ request: toNative, effects: moved(NATIVE_TOKEN, USER, 3n) }, strayed],
    [
      {
        request: { ...toNative, sell: fromNative.sell },
        effects: moved(NATIVE_TOKEN, USER, 3n),
      },
    ],
    [{ request: toNative }],
    [
      { request: toNative, effects: did(10_000n, 0n) },
      `execution/pays-native: 0 of native and 0`,
      'execution/pays-recipient',
      'execution/within-tolerance',
    ],
    [
      { request: toNative, effects: moved(BOUGHT, RECEIVER, 5n) },
      `execution/pays-native: 20000 of native and 5`,
    ],
    [{ request: toNative, effects: moved(BOUGHT, RECEIVER, -5n) }],
    [{ request: exactOutput }],
    [
      { request: exactOutput, effects: did(10_000n, 19_999n) },
      'execution/buys-at-least: 19999 received',
    ],
    [{ effects: did(10_000n, 19_800n) }],
    [{ effects: did(10_000n, 19_799n) }, 'execution/within-tolerance: 19799 received'],
    [{ request: exactOutput, effects: did(10_100n, 20_000n) }],
    [
      { request: exactOutput, effects: did(10_101n, 20_000n) },
      'execution/within-tolerance: 10101 paid',
    ],
    [{ request: exactOutput, effects: did(10_000n, 20_200n) }],
    // Two pools that are paid 10,000 and 5,000 whole base units: 6 and 2 more of 20,000.
    [{ request: exactOutput, effects: did(10_001n, 20_008n) }],
    [
      { request: exactOutput, effects: did(10_001n, 20_009n) },
      'execution/buys-no-more: 10001 paid and 20009 received',
    ],
    [{ request: exactOutput, effects: did(10_001n, 20_208n) }, 10_000],
    // The price has moved by as much as is paid above the quote.
    [
      {
        ...{ request: exactOutput, effects: did(10_050n, 20_000n) },
        poolsGive: { forQuoted: 19_900n, forSpent: 20_004n },
      },
    ],
    [
      {
        ...{ request: exactOutput, effects: did(10_050n, 20_000n) },
        poolsGive: { forQuoted: 19_900n, forSpent: 20_005n },
      },
      'execution/buys-no-more: 10050 paid and 20000 received',
    ],
    // It has moved too far for two ways to part a token to agree.
    [
      {
        ...{ request: exactOutput, effects: did(10_050n, 20_000n) },
        poolsGive: { forQuoted: 19_799n, forSpent: 20_500n },
      },
    ],
  ],
  'sent-by-another': [
    [{}, notNamed],
    [{ effects: did(10_000n, 0n) }, 'execution/pays-sender: 0', notNamed],
    [{ effects: reverted }, 'execution/pays-sender n/a', notNamed],
    [{ request: { ...sound.request, wallet: OTHER } }],
    [
      { request: { ...sound.request, wallet: OTHER }, effects: moved(SOLD, OTHER, -7n) },
      'execution/takes-from-sender: 7 taken from it',
    ],
  ],
  'price-moved': [
    [{ toleranceBps: 50, movedBps: 100, effects: reverted }, 'execution/tolerates n/a'],
    [
      { toleranceBps: 50, movedBps: 100 },
      'execution/protects: it paid 10000 and received 19000',
      'execution/tolerates n/a',
    ],
    // A router that finds a better way than its plan.
    [
      { toleranceBps: 50, movedBps: 100, effects: did(10_000n, 19_900n) },
      'execution/tolerates n/a',
    ],
    [
      { toleranceBps: 50, movedBps: 100, request: exactOutput, effects: did(10_051n, 20_000n) },
      'execution/protects: it paid 10051 and received 20000',
      'execution/tolerates n/a',
    ],
    [{ toleranceBps: 100, movedBps: 100 }, 'execution/protects n/a', 'execution/tolerates n/a'],
    [{ toleranceBps: 200, movedBps: 100 }, 'execution/protects n/a'],
    [
      { toleranceBps: 200, movedBps: 100, effects: reverted },
      'execution/tolerates: TRANSFER_FAILED',
      'execution/protects n/a',
    ],
  ],
});
