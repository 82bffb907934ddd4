import { describe, expect, test } from 'vitest';
import { formatAmount } from './format-amount.ts';

describe('formatAmount', () => {
  test.each([
    ['1498119307', 6, '1,498.11'],
    ['2500000000000000000', 18, '2.5'],
    ['1', 18, '0.000000000000000001'],
    ['1249000', 8, '0.01249'],
    ['123456789', 0, '123,456,789'],
    ['0', 18, '0'],
    ['123456789012345678', 6, '123,456,789,012'],
    ['7000000', 6, '7'],
  ])('%s base units with %i decimals -> %s', (amount, decimals, text) => {
    expect(formatAmount(amount, decimals)).toBe(text);
  });

  test('not an amount, or no decimals -> the same text, shortened if it is long', () => {
    expect(formatAmount('-5', 6)).toBe('-5');
    expect(formatAmount('1000', undefined)).toBe('1000');
    expect(formatAmount('x'.repeat(50), 6)).toBe(`${'x'.repeat(19)}…`);
  });
});
