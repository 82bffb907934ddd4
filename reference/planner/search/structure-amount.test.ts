import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forAll } from '../../../fixtures/testing/for-all.testing.ts';
import { nextStructureAmount, structureAmount } from './structure-amount.ts';

const anyAmount = fc.integer({ min: 0, max: 400 }).map((size) => 10 ** (size / 10));

describe('structureAmount', () => {
  test('any structure amount -> represents all amounts up to the next', () => {
    forAll([anyAmount, anyAmount], { seed: 14 }, (amount, depth) => {
      const structure = structureAmount(amount, depth);
      const next = nextStructureAmount(structure, depth);
      expect(structure).toBeLessThanOrEqual(amount);
      expect(next).toBeGreaterThan(amount);
      expect(structureAmount(structure, depth)).toBe(structure);
      expect(structureAmount(next, depth)).toBe(next);
    });
  });

  test('up to the depth -> within 2^-16', () => {
    forAll([anyAmount], { seed: 15 }, (amount) => {
      const structure = structureAmount(amount, amount * 2);
      expect(amount - structure).toBeLessThanOrEqual(Math.max(1, amount * 2 ** -16));
    });
  });

  test.each([
    [100_000, 1e9, 100_000],
    [1_000_001, 1e9, 1_000_000],
    [2 ** 40 + 2 ** 30, 2 ** 20, 2 ** 40],
    [1, 1e-9, 1],
  ])('%d at a depth of %d -> %d', (amount, depth, expected) => {
    expect(structureAmount(amount, depth)).toBe(expected);
  });
});
