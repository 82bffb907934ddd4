import { expect, test } from 'vitest';
import { gasPriceIn } from './gas-price.ts';

const priceAt = (baseFee: bigint, salt: bigint) => {
  const word = `0x${salt.toString(16).padStart(64, '0')}` as const;
  const rest = { number: 1, coinbase: '0x', prevRandao: '0x', parentHash: '0x' } as const;
  return gasPriceIn({ ...rest, baseFee, salt: word, gasLimit: 30_000_000n });
};

test('any salt -> a tip from 1 wei to the base fee', () => {
  expect(priceAt(1_000n, 0n)).toBe(1_001n);
  expect(priceAt(1_000n, 2n ** 31n)).toBe(1_501n);
  expect(priceAt(1_000n, 2n ** 256n - 1n)).toBe(2_000n);
});
