import fc from 'fast-check';
import { formatUnits } from 'viem';
import { describe, expect, test } from 'vitest';
import { toBaseUnits, toFraction } from './whole-amounts.ts';

describe('toBaseUnits', () => {
  test.each([
    ['1,000.5', 6, '1000500000'],
    [' 0.10 ', 18, '100000000000000000'],
    ['.5', 1, '5'],
    ['7.', 0, '7'],
    ['1,234,567', 0, '1234567'],
    ['0.0000001', 6, undefined],
    ['0', 18, undefined],
    ['0.0', 6, undefined],
    ['', 6, undefined],
    ['.', 6, undefined],
    ['1,00', 6, undefined],
    ['-1', 6, undefined],
    ['1e3', 6, undefined],
  ])("'%s' of a token with %i decimals -> %s", (text, decimals, units) => {
    expect(toBaseUnits(text, decimals)).toBe(units);
  });

  test('any base units, formatted as whole tokens -> parsed to the same base units', () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 40n), fc.integer({ min: 0, max: 18 }), (units, decimals) => {
        expect(toBaseUnits(formatUnits(units, decimals), decimals)).toBe(`${units}`);
      }),
    );
  });
});

test.each([
  ['0.5', '0.005'],
  ['100', '1'],
  ['0', '0'],
  ['0.01', '0.0001'],
  ['29', '0.29'],
  ['100.01', undefined],
  ['0.001', undefined],
  ['', undefined],
  ['-1', undefined],
])("a tolerance of '%s' percent -> %s", (percent, part) => {
  expect(toFraction(percent)).toBe(part);
});
