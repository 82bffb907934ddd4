import { expect, test } from 'vitest';
import { LruCache } from './lru-cache.ts';

const fail = (): never => {
  throw new Error('made twice');
};

test('known key -> the stored value, without another call', () => {
  const cache = new LruCache<number | undefined>(2);
  expect(cache.getOrMake('a', () => 1)).toBe(1);
  expect(cache.getOrMake('a', fail)).toBe(1);
});

test('get and set -> a map with at most the given number of entries; 0 stores none', () => {
  const cache = new LruCache<number>(1);
  cache.set('a', 1);
  expect(cache.get('a')).toBe(1);
  cache.set('b', 2);
  expect([cache.get('a'), cache.get('b')]).toEqual([undefined, 2]);
  const none = new LruCache<number>(0);
  none.set('a', 1);
  expect(none.get('a')).toBeUndefined();
});

test('full -> the least recently used entry is removed', () => {
  const cache = new LruCache<number>(2);
  cache.getOrMake('a', () => 1);
  cache.getOrMake('b', () => 2);
  cache.getOrMake('a', fail);
  cache.getOrMake('c', () => 3);
  expect(cache.getOrMake('a', fail)).toBe(1);
  expect(cache.getOrMake('b', () => 4)).toBe(4);
});
