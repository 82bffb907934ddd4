import { expect, test } from 'vitest';
import { LruCache } from './lru-cache.ts';

const fail = (): never => {
  throw new Error('made twice');
};

test('known key -> its value, not made again', () => {
  const cache = new LruCache<number | undefined>(2);
  expect(cache.getOrMake('a', () => 1)).toBe(1);
  expect(cache.getOrMake('a', fail)).toBe(1);
});

test('full -> the entry that was not read for longest is removed', () => {
  const cache = new LruCache<number>(2);
  cache.getOrMake('a', () => 1);
  cache.getOrMake('b', () => 2);
  cache.getOrMake('a', fail);
  cache.getOrMake('c', () => 3);
  expect(cache.getOrMake('a', fail)).toBe(1);
  expect(cache.getOrMake('b', () => 4)).toBe(4);
});
