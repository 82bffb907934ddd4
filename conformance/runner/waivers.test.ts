import { expect, test } from 'vitest';
import { exchangeWith } from '../client/exchange.testing.ts';
import { openWaivers } from './waivers.ts';

test.each([
  ['hex', `0x${'ab'.repeat(20)}`, `0x${'AB'.repeat(20)}`, true],
  [
    'base58',
    'So11111111111111111111111111111111111111112',
    'SO11111111111111111111111111111111111111112',
    false,
  ],
])(
  'a waiver of a pair in %s -> covers the pair in another letter case: %s',
  (_, one, other, isCovered) => {
    const waiver = {
      rule: 'a/b',
      pair: [one, 'X'],
      reason: 'known',
      expires: '2999-01-01',
    } as const;
    const waivers = openWaivers([{ ...waiver, pair: [one, 'X'] }], '2026-01-01');
    const waiverFor = (sellToken: string) =>
      waivers.waiverOf('a/b', {
        fault: 'f',
        exchange: exchangeWith(
          {},
          {
            query: [
              ['sellToken', sellToken],
              ['buyToken', 'X'],
            ],
          },
        ),
      });
    expect(waiverFor(one)).toEqual(waiver);
    expect(waiverFor(other) !== undefined).toBe(isCovered);
  },
);
