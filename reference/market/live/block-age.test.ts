import { expect, test } from 'vitest';
import { maxBlockAgeOf } from './block-age.ts';

test.each([
  ['Ethereum -> 5 block times', 1, 60],
  ['a chain with fast blocks -> 15 s', 8453, 15],
  ['a development chain, which mines on demand -> any age', 31337, Number.POSITIVE_INFINITY],
  ['an unknown chain -> two minutes', 987_654, 120],
])('%s', (_, chainId, seconds) => {
  expect(maxBlockAgeOf(chainId)).toBe(seconds);
});
