import { describe, expect, test } from 'vitest';
import type { SettledPlan } from '../model/settlement.ts';
import { bpsBetween, describeDistances, formatSigned } from './quote-distance.ts';

describe('distances from quotes', () => {
  const settled = (swapKind: 'exact-input' | 'exact-output', spent: bigint, received: bigint) =>
    ({
      request: { swapKind },
      plan: { sell: { amount: 10_000n }, buy: { amount: 20_000n } },
      effects: { kind: 'settled', spent, received },
    }) as unknown as SettledPlan;
  const reverted = { effects: { kind: 'reverted' } } as unknown as SettledPlan;

  test('trades -> the median and the range; gains are above 0', () => {
    const trades = [
      settled('exact-input', 1n, 20_200n),
      settled('exact-output', 10_050n, 1n),
      reverted,
      settled('exact-input', 1n, 20_002n),
    ];
    expect(describeDistances(trades)).toBe(
      'a median of +1 bps from the quote, from -50 to +100; above 0 is better',
    );
    expect(describeDistances(trades.slice(0, 2))).toContain('a median of +25 bps');
    expect(describeDistances([settled('exact-input', 1n, 20_000n)])).toBe(
      'a median of 0 bps from the quote; above 0 is better',
    );
    expect(describeDistances([reverted])).toBe('no trade settled');
  });

  test('single values -> with sign and two decimals, and 0 if there is no quote', () => {
    expect([formatSigned(3), formatSigned(0), formatSigned(-3)]).toEqual(['+3', '0', '-3']);
    expect([bpsBetween(10_001n, 10_000n), bpsBetween(99n, 100n), bpsBetween(1n, 0n)]).toEqual([
      1, -100, 0,
    ]);
  });
});
