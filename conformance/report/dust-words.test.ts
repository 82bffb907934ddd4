import { describe, expect, test } from 'vitest';
import { dustWords } from './dust-words.ts';

describe('dustWords', () => {
  test('a known token -> both units, with the sign', () => {
    const dust = { baseUnits: '-1500000', partsPerMillion: 2, token: '0xab', exchange: 4 };
    expect(dustWords({ ...dust, symbol: 'USDC', decimals: 6 })).toBe(
      '1.5 USDC overspent in request 4: 2 parts per million (1500000 base units of 0xab)',
    );
    const left = { ...dust, baseUnits: '1', partsPerMillion: 0.0073143 };
    expect(dustWords(left)).toBe(
      '1 base unit of 0xab left over in request 4: 0.00731 parts per million',
    );
  });
});
