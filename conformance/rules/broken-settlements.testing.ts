import type { Evidence, EvidenceKind, SettledPlan } from '../model/settlement.ts';
import {
  BOUGHT,
  did,
  exactOutput,
  logs,
  MIDDLE,
  mined,
  moved,
  OTHER,
  POOL,
  POOL_2,
  RECEIVER,
  ROUTER,
  reverted,
  sound,
  toNative,
  transfer,
  USER,
} from '../rule-kit/settlements.testing.ts';

/* Settlements that break many promises at once, so that every rule has something to say of one. */

export type BrokenSettlement = readonly [
  about: string,
  kind: EvidenceKind,
  item: Evidence[EvidenceKind],
];

const broken = (about: string, change: Partial<SettledPlan>): BrokenSettlement => [
  `a trade ${about}`,
  'as-returned',
  { ...sound, ...change },
];
const little = did(9_999n, 1n);

export const BROKEN_SETTLEMENTS: readonly BrokenSettlement[] = [
  broken('that reverts', { effects: reverted }),
  broken('on other contracts, with little gas, and only for a minute', {
    ...{ routerHasCode: false, poolsWithoutCode: [POOL], decimalsOnChain: new Map([[BOUGHT, 8]]) },
    ...{ mined: mined(399_999n, false), effectsLater: reverted },
  }),
  broken('over other amounts, that takes another token', {
    mined: mined(1n, true, [...logs, transfer(MIDDLE, POOL_2, POOL, 1n)]),
    effects: moved(OTHER, USER, -1n),
  }),
  broken('that gives little', { effects: little }),
  broken('that costs much', { request: exactOutput, effects: did(10_101n, 1n) }),
  broken('that pays a stranger, and the receiver too much', {
    request: exactOutput,
    effects: did(10_100n, 20_200n),
    strays: [{ token: BOUGHT, to: OTHER, amount: 20n }],
  }),
  broken('that settles late, with more gas than a block holds', {
    request: { ...sound.request, slippageBps: 500 },
    failedBefore: 1,
    blockGasLimit: 300_000n,
  }),
  broken('with more gas than a transaction may have', { transactionGasCap: 300_000n }),
  broken('that pays nobody', { effects: did(10_000n, 0n) }),
  broken('that pays the sender', { effects: moved(BOUGHT, USER, 1n) }),
  broken('that keeps something', { effects: moved(BOUGHT, ROUTER, 1n) }),
  broken('that leaves native wrapped', {
    request: toNative,
    effects: moved(BOUGHT, RECEIVER, 1n),
  }),
  ['a trade sent by another', 'sent-by-another', { ...sound, effects: did(10_000n, 0n) }],
  ['a plan encoded by its client', 'own-encoding', { ...sound, effects: little }],
  [
    'a trade after its price moved much',
    'price-moved',
    { ...sound, toleranceBps: 50, movedBps: 100, effects: little },
  ],
  [
    'a trade after its price moved little',
    'price-moved',
    { ...sound, toleranceBps: 100, movedBps: 50, effects: reverted },
  ],
];
