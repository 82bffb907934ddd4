import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forAll } from '../../fixtures/testing/for-all.testing.ts';
import { maskMoments } from './same-plan.ts';

const NOW = 1_700_000_000;
const word = (value: number | bigint) => value.toString(16).padStart(64, '0');

describe('maskMoments', () => {
  test.each([
    [
      'a deadline in a word',
      `0x3593564c${word(NOW + 1_200)}`,
      `0x3593564c${'0'.repeat(56)}........`,
    ],
    ['a deadline between packed bytes', `0xAA${(NOW - 60).toString(16)}01BB`, '0xaa........01bb'],
    ['two timestamps', `0x${NOW.toString(16).repeat(2)}`, '0x................'],
    ['a time last week', `0x${(NOW - 604_800).toString(16)}`, `0x${(NOW - 604_800).toString(16)}`],
    ['no bytes', '0x', '0x'],
  ])('%s -> %s', (_, calldata, masked) => {
    expect(maskMoments(calldata, NOW * 1_000)).toBe(masked);
  });

  test('deadlines within a day -> masked; other differences remain', () => {
    const deadline = fc.integer({ min: NOW, max: NOW + 86_400 });
    const amount = fc.bigInt(0n, (1n << 256n) - 1n);
    forAll([deadline, deadline, amount], { seed: 1 }, (one, other, value) => {
      const mask = (seconds: number, paid: bigint) =>
        maskMoments(`0x3593564c${word(paid)}${word(seconds)}`, NOW * 1_000);
      expect(mask(one, value)).toBe(mask(other, value));
      expect(mask(one, value)).not.toBe(mask(other, value ^ (1n << 255n)));
    });
  });
});
