import { expect, test } from 'vitest';
import { suspectDecimals, type ValuedSide } from './suspect-decimals.ts';

const side = (referenceId: number, decimals: number, usd: number): ValuedSide => ({
  token: { referenceId } as ValuedSide['token'],
  decimals,
  usd,
});
const suspects = (...given: Parameters<typeof suspectDecimals>) =>
  suspectDecimals(...given).map(({ token, likely }) => [token.referenceId, likely]);

test.each([
  ['USDC with 18 decimals sold for WETH', side(1, 18, 1e-12), side(2, 18, 1), undefined, [[1, 6]]],
  [
    'WETH sold for USDC with 18 decimals',
    side(1, 18, 1),
    side(2, 18, 1.1e-12),
    undefined,
    [[2, 6]],
  ],
  ['WBTC with 18 decimals sold for WETH', side(1, 18, 1e-10), side(2, 18, 1), undefined, [[1, 8]]],
  [
    'either side, with a third token worth as much as the bought side',
    side(1, 18, 1),
    side(2, 6, 1e12),
    1e12,
    [[1, 6]],
  ],
  [
    'either side, with a third token worth as much as the sold side',
    side(1, 18, 1),
    side(2, 6, 1e12),
    1,
    [[2, 18]],
  ],
  [
    'either side, without a third token',
    side(1, 18, 1),
    side(2, 6, 1e12),
    undefined,
    [
      [1, 6],
      [2, 18],
    ],
  ],
  [
    'a factor of 1,000, which only unusual decimals explain',
    side(1, 18, 1),
    side(2, 18, 1e3),
    undefined,
    [[1, 15]],
  ],
  ['a factor of 100', side(1, 18, 1), side(2, 18, 100), undefined, []],
  ['a factor of 3,000', side(1, 18, 1), side(2, 18, 3e3), undefined, []],
  ['nothing bought', side(1, 18, 1), side(2, 18, 0), undefined, []],
])('%s -> %j', (_what, sold, bought, between, expected) => {
  expect(suspects(sold, bought, between)).toEqual(expected);
});
