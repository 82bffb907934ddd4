import { describe, expect, test } from 'vitest';
import type { SettlementChange } from '../model/breaks.ts';
import type { SettlementRule } from '../model/rule.ts';
import type { EvidenceKind } from '../model/settlement.ts';
import { brokenSettlement, verdictOnSettlement } from '../rule-kit/settlements.testing.ts';
import { CATALOG } from './catalog.ts';

/** A settlement, and the rules that must not apply to it. */
type Row = readonly [change: SettlementChange, ...notApplicable: string[]];

/** Settlements that no rule may fail. */
const SOUND: { readonly [Kind in EvidenceKind]: readonly Row[] } = {
  'as-returned': [
    [{}, 'settles-at-once', 'pays-native', 'buys-at-least', 'buys-no-more'],
    [{ request: { slippageBps: 500 } }],
    [{ failedBefore: 2 }, 'settles-at-once'],
    [{ blockGasLimit: undefined }, 'gas-limit-fits'],
    [{ blockGasLimit: 400_000n }],
    [{ blockGasLimit: undefined, transactionGasCap: 400_000n }],
    [{ limited: 'unknown' }, 'gas-limit'],
    [{ payments: 'none' }, 'route-amounts'],
    [{ unmoved: false, effects: { received: 19_900n } }, 'quote-exact', 'route-amounts'],
    [{ unmoved: false, alternativeYield: 20_004n }],
    [{ unmoved: false, alternativeYield: 20_201n }, 'quote-exact'],
    [{ unmoved: false, effects: { received: 19_800n } }],
    [{ trade: 'exactOutput' }, 'sells-exactly'],
    [{ trade: 'exactOutput', effects: { received: 20_200n } }],
    [{ trade: 'exactOutput', unmoved: false, effects: { spent: 10_100n } }],
    // Two pools that are paid 10,000 and 5,000 whole base units: 6 and 2 more of 20,000.
    [{ trade: 'exactOutput', unmoved: false, effects: { spent: 10_001n, received: 20_008n } }],
    [
      {
        trade: 'exactOutput',
        unmoved: false,
        effects: { spent: 10_001n, received: 20_208n },
        tolerancePpm: 10_000,
      },
    ],
    // The price has moved by as much as is paid above the quote.
    [
      {
        trade: 'exactOutput',
        unmoved: false,
        effects: { spent: 10_050n },
        poolsGive: { forQuoted: 19_900n, forSpent: 20_004n },
      },
    ],
    // It has moved too far to compare two ways to split a token.
    [
      {
        trade: 'exactOutput',
        unmoved: false,
        effects: { spent: 10_050n },
        poolsGive: { forQuoted: 19_799n, forSpent: 20_500n },
      },
    ],
    [{ effects: { change: { SPARE: { user: 1n } } } }],
    [{ effects: { change: { SPARE: { router: -1n } } } }],
    [{ effects: { change: { MID: { router: -1n } } } }],
    [{ effects: { change: { BUY: { user: 0n } } } }],
    [{ holders: { proxy: undefined }, effects: { change: { MID: { proxy: 1n } } } }],
    [{ holders: { receiver: 'user' }, effects: { change: { BUY: { user: 20_000n } } } }],
    [
      {
        holders: { receiver: 'user' },
        effects: { change: { SELL: { user: 1n } } },
      },
    ],
    // 20,000 of the bought token flow and 5,000 of the middle one: 100,000 ppm and 2 may stay.
    [{ strays: [{ token: 'BUY', to: 'stranger', amount: 2_002n }], tolerancePpm: 100_000 }],
    [{ effects: { change: { MID: { router: 502n } } }, tolerancePpm: 100_000 }],
    [{ trade: 'nativeSell' }],
    [{ trade: 'nativeBuy' }],
    [{ trade: 'nativeBuy', effects: { change: { BUY: { receiver: -5n } } } }],
    // Native is both sold and bought, so a change of it proves nothing.
    [{ trade: 'nativeToNative', effects: { change: { NATIVE: { user: 3n } } } }],
  ],
  'sent-by-another': [
    [{}, 'takes-from-sender'],
    [{ request: { wallet: 'stranger' } }],
    [{ effects: 'reverted' }, 'pays-sender', 'takes-from-sender'],
  ],
  'through-pools': [
    [{}],
    [{ poolYields: 'unknown' }, 'through-pools'],
    [{ decimalsOnChain: { MID: 8 } }, 'token-decimals'],
    // More than quoted, as an exact output in whole base units yields.
    [
      {
        poolYields: [
          [10_000n, 5_001n],
          [5_001n, 20_004n],
        ],
      },
    ],
    // Less of the middle token is planned to be sold than is bought, as far as that is tolerated.
    [
      {
        poolYields: [
          [10_000n, 5_000n],
          [4_993n, 19_972n],
        ],
        tolerancePpm: 1_000,
      },
    ],
    [
      {
        unmoved: false,
        poolYields: [
          [10_000n, 4_975n],
          [4_975n, 19_801n],
        ],
      },
    ],
  ],
  'price-moved': [
    [{}],
    [{ toleranceBps: 50, movedBps: 100, effects: 'reverted' }, 'tolerates'],
    // The router found a better way than its plan.
    [{ toleranceBps: 50, movedBps: 100, effects: { received: 19_900n } }, 'tolerates'],
    [{ toleranceBps: 100, movedBps: 100 }, 'protects', 'tolerates'],
    [{ toleranceBps: 200, movedBps: 100 }, 'protects'],
  ],
};

const NEEDS_SETTLEMENT = [
  'settles-at-once',
  'outlives-a-minute',
  'sells-exactly',
  'touches-no-other-token',
  'converts-all',
  'quote-exact',
  'nothing-stays',
  'pays-recipient',
  'pays-native',
  'buys-at-least',
  'buys-no-more',
  'within-tolerance',
];

/** Settlements that fail one rule, to which others must not apply. */
const FAILING: readonly (readonly [SettlementChange, fails: string, ...notApplicable: string[]])[] =
  [
    ...(['exactInput', 'exactOutput', 'nativeBuy'] as const).map(
      (trade) => [{ trade, effects: 'reverted' }, 'settles', ...NEEDS_SETTLEMENT] as const,
    ),
    [{ limited: { outcome: 'rejected' } }, 'gas-limit'],
    [{ limited: { outcome: 'reverted' } }, 'gas-limit'],
  ];

const settling = CATALOG.filter((rule): rule is SettlementRule => rule.kind === 'settlement');

function judge(kind: EvidenceKind, change: SettlementChange, notApplicable: readonly string[]) {
  const verdicts = settling
    .filter(({ evidence }) => evidence === kind)
    .map((rule) => ({
      name: rule.id.replace('execution/', ''),
      verdict: verdictOnSettlement(rule, change),
    }));
  const applying = verdicts.flatMap(({ name, verdict }) => (verdict === undefined ? [] : [name]));
  expect(verdicts.map(({ name }) => name)).toEqual(expect.arrayContaining([...notApplicable]));
  expect(applying.filter((name) => notApplicable.includes(name))).toEqual([]);
  return verdicts.flatMap(({ name, verdict }) => (verdict?.findings.length ? [name] : []));
}

describe.each(Object.entries(SOUND) as [EvidenceKind, readonly Row[]][])('%s', (kind, rows) => {
  test.each(rows.map((row, index) => [index + 1, row] as const))(
    'settlement %i -> no rule fails',
    (_index, [change, ...notApplicable]) => {
      expect(judge(kind, change, notApplicable)).toEqual([]);
    },
  );
});

test.each(FAILING.map((row) => [row] as const))(
  '%o -> fails one rule',
  ([change, fails, ...notApplicable]) => {
    expect(judge('as-returned', change, notApplicable)).toEqual([fails]);
  },
);

function observe(id: string, changes: readonly SettlementChange[]): string | undefined {
  const rule = settling.find((each) => each.id === id);
  return rule?.observe?.(changes.map((change) => brokenSettlement('as-returned', change)));
}

test('used gas -> its share of the limit, median and maximum', () => {
  const used = (gasUsed: bigint) => ({ limited: { gasUsed } });
  const failed = { limited: { outcome: 'reverted' } } as const;
  expect(
    observe('execution/gas-limit', [used(390_000n), failed, used(100_000n), used(250_000n)]),
  ).toBe('used 62.5 % of `gasLimit` in the median, 97.5 % at most');
  expect(observe('execution/gas-limit', [failed])).toBe('no transaction succeeded');
});

test('trades that reverted when first requested -> are counted', () => {
  expect(
    observe(
      'execution/settles-at-once',
      [0, 2, 1, 0].map((failedBefore) => ({ failedBefore })),
    ),
  ).toBe('2 of 4 trades reverted when first requested, at any tolerance');
});
