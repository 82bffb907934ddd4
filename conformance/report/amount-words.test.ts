import { describe, expect, test } from 'vitest';
import { dustWords, expectation } from './amount-words.ts';
import { sampleFailure, sampleMoney, sketchOf, splitPlan } from './sample-report.testing.ts';

const plan = sketchOf(splitPlan);
const DAI = splitPlan.tokens[2]?.address;
const told = (actual: string, pointer?: string) =>
  expectation(sampleFailure({ actual, money: sampleMoney, ...plan, ...(pointer && { pointer }) }))
    .actual;

describe('expectation', () => {
  test.each([
    ['250000000 of token 1 flows out', '250 USDC (250000000 base units) of token 1 flows out'],
    [`at "${DAI}" 5`, `at "${DAI}" 0.000000000000000005 DAI (5 base units)`],
    [
      `1498000000000000000000 of ${DAI} taken`,
      `1,498 DAI (1498000000000000000000 base units) of ${DAI} taken`,
    ],
    [
      `551 of 0x${'9'.repeat(40)} paid`,
      `0.000551 USDC (551 base units) of 0x${'9'.repeat(40)} paid`,
    ],
    [
      '1000000000000000000 paid and 3000000 received',
      '1 WETH (1000000000000000000 base units) paid and 3 USDC (3000000 base units) received',
    ],
    [
      'it paid 1000000000000000000 and received 3000000',
      'it paid 1 WETH (1000000000000000000 base units) and received 3 USDC (3000000 base units)',
    ],
    [
      `3 of ${DAI} paid to 0x${'9'.repeat(40)}`,
      `0.000000000000000003 DAI (3 base units) of ${DAI} paid to 0x${'9'.repeat(40)}`,
    ],
  ])('%s -> %s', (text, words) => {
    expect(told(text)).toBe(words);
  });

  test('a wrong amount alone, at its pointer -> the token of that place', () => {
    expect(told('7493120551', '/buy/amount')).toBe('7,493.12 USDC (7493120551 base units)');
    expect(told('"1249000"', '/routes/5/fromTokens/0/amount')).toBe(
      '0.01249 WBTC (1249000 base units)',
    );
    expect(told('24', '/tokens/3/decimals')).toBe('24');
  });

  test('numbers that are no amounts, tokens that nobody knows -> as they are', () => {
    for (const text of [
      'status 200',
      '7 bought something',
      'paid 0x12',
      '5 of token 99 flows out',
      `5 of 0x${'7'.repeat(40)} paid`,
    ]) {
      expect(told(text)).toBe(text);
    }
    expect(told('within 3 base units')).toBe('within 3 base units');
  });
});

describe('dustWords', () => {
  test('a token that is known -> both units, with the sign', () => {
    const dust = { baseUnits: '-1500000', partsPerMillion: 2, token: '0xab', exchange: 4 };
    expect(dustWords({ ...dust, symbol: 'USDC', decimals: 6 })).toBe(
      '-1.5 USDC, -1500000 base units of 0xab (2 parts per million) in request 4',
    );
    expect(dustWords(dust)).toBe('-1500000 base units of 0xab (2 parts per million) in request 4');
  });
});
