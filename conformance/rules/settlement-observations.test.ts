import { expect, test } from 'vitest';
import type { SettlementChange } from '../model/breaks.ts';
import type { SettlementRule } from '../model/rule.ts';
import { brokenSettlement } from '../rule-kit/settlements.testing.ts';
import { CATALOG } from './catalog.ts';

const settling = CATALOG.filter((rule): rule is SettlementRule => rule.kind === 'settlement');

function observe(id: string, changes: readonly SettlementChange[]): string | undefined {
  const rule = settling.find((each) => each.id === id);
  return rule?.observe?.(changes.map((change) => brokenSettlement('as-returned', change)));
}

test('used gas -> the median and the maximum of its share of the limit', () => {
  const used = (gasUsed: bigint) => ({ atGasLimit: { gasUsed } });
  const failed = { atGasLimit: { outcome: 'reverted' } } as const;
  expect(
    observe('execution/gas-limit', [used(390_000n), failed, used(100_000n), used(250_000n)]),
  ).toBe('used a median of 62.5% of `gasLimit`, and at most 97.5%');
  expect(observe('execution/gas-limit', [failed])).toBe('no transaction succeeded');
});

test('trades that reverted when first requested -> counted', () => {
  expect(
    observe(
      'execution/settles-at-once',
      [0, 2, 1, 0].map((failedBefore) => ({ failedBefore })),
    ),
  ).toBe('2 of 4 trades reverted when first requested, at any tolerance');
});
