import { describe, expect, test } from 'vitest';
import { dustWords } from './dust-words.ts';

describe('dustWords', () => {
  test('a known token -> both units, with the sign', () => {
    const dust = { baseUnits: '-1500000', partsPerMillion: 2, token: '0xab', exchange: 4 };
    expect(dustWords({ ...dust, symbol: 'USDC', decimals: 6 })).toBe(
      '-1.5 USDC, -1500000 base units of 0xab (2 parts per million) in request 4',
    );
    expect(dustWords(dust)).toBe('-1500000 base units of 0xab (2 parts per million) in request 4');
  });
});
