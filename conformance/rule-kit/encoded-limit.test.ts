import { expect, test } from 'vitest';
import { formatStatement } from '../model/format-statement.ts';
import type { PriceMove } from '../model/settlement.ts';

import { describeEncodedLimit } from './encoded-limit.ts';

const word = (value: bigint) => value.toString(16).padStart(64, '0');
const [SELL, BUY] = ['0x01', '0x02'] as const;

function described(
  calldata: string,
  { swapKind = 'exact-input' }: Partial<PriceMove['request']> = {},
): string {
  const [sold, bought] = [10n ** 18n, 2_000_000_000n];
  const item = {
    request: { swapKind, amount: swapKind === 'exact-input' ? sold : bought },
    plan: {
      sell: { token: SELL, amount: sold },
      buy: { token: BUY, amount: bought },
      steps: [
        {
          from: [{ token: SELL, amount: sold }],
          to: [{ token: BUY, amount: 1_200_000_000n }],
        },
      ],
      transaction: { calldata: `0x${calldata}` },
    },
    toleranceBps: 500,
  };
  return formatStatement(describeEncodedLimit(item as unknown as PriceMove));
}

test('one word near the quoted amount -> named with its distance from it', () => {
  expect(described(`12345678${word(2_000_000_000n)}${word(1_999_000_000n)}`)).toBe(
    '; the calldata contains 1999000000 base units of 0x02, which is 0.05% less than quoted',
  );
});

test('exact output, in a nested call that is not aligned -> the limit of the sell token', () => {
  const nested = `12345678${word(2_000_000_000n)}${word(1_000_500_000_000_000_000n)}`;
  expect(described(`87654321${word(4n)}${nested}`, { swapKind: 'exact-output' })).toBe(
    '; the calldata contains 1000500000000000000 base units of 0x01, which is 0.05% more than quoted',
  );
});

test.each([
  ['no calldata', ''],
  ['amounts of the plan', `12345678${word(2_000_000_000n)}${word(1_200_000_000n)}`],
  ['no limit', `12345678${word(10n ** 18n)}${word(0n)}`],
  ['the requested limit', `12345678${word(1_900_000_000n)}`],
  ['two words near the quoted amount', `12345678${word(1_999_000_000n)}${word(1_800_000_000n)}`],
  ['a word far from the quoted amount', `12345678${word(900_000_000n)}${word(3_100_000_000n)}`],
])('%s -> empty', (_, calldata) => {
  expect(described(calldata)).toBe('');
});
