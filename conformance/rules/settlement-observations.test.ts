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
