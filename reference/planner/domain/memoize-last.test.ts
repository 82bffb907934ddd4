import { expect, test } from 'vitest';
import { memoizeLast } from './memoize-last.ts';

test('same arguments as in the last call -> the same value; others -> a new value', () => {
  let made = 0;
  const next = memoizeLast((_a: number, _b: string) => ++made);
  expect(next(1, 'x')).toBe(1);
  expect(next(1, 'x')).toBe(1);
  expect(next(1, 'y')).toBe(2);
  expect(next(1, 'x')).toBe(3);
});
