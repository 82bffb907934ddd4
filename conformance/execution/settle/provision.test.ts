import { expect, test } from 'vitest';
import { combine, combineLargest } from './provision.ts';

const [ACCOUNT, OTHER] = [`0x${'a'.repeat(40)}`, `0x${'b'.repeat(40)}`] as const;
const [SLOT, OTHER_SLOT] = [`0x${'1'.repeat(64)}`, `0x${'2'.repeat(64)}`] as const;
const call = { from: ACCOUNT, to: OTHER, value: 0n, data: '0x' } as const;
const one = {
  overrides: { [ACCOUNT]: { balance: 5n, nonce: 1, storage: { [SLOT]: '0x05' } } },
  before: [call],
} as const;
const other = {
  overrides: {
    [ACCOUNT]: { balance: 3n, code: '0xfe', storage: { [SLOT]: '0x03', [OTHER_SLOT]: '0x01' } },
    [OTHER]: { balance: 1n },
  },
  before: [],
} as const;
const rest = { nonce: 1, code: '0xfe' };

test('two values for one part of an account -> the last, or of amounts the larger', () => {
  expect(combine(one, other)).toEqual({
    overrides: {
      [ACCOUNT]: { ...rest, balance: 3n, storage: { [SLOT]: '0x03', [OTHER_SLOT]: '0x01' } },
      [OTHER]: { balance: 1n },
    },
    before: [call],
  });
  const larger = { ...rest, balance: 5n, storage: { [SLOT]: '0x05', [OTHER_SLOT]: '0x01' } };
  for (const both of [combineLargest(one, other), combineLargest(other, one)]) {
    expect(both.overrides).toEqual({ [ACCOUNT]: larger, [OTHER]: { balance: 1n } });
  }
});
