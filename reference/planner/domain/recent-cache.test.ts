import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forAll } from '../../../scripts/tests/helpers/for-all.testing.ts';
import { createRecentCache } from './recent-cache.ts';

describe('createRecentCache', () => {
  test('full -> what was not asked for longest goes first', () => {
    const cache = createRecentCache<number>(2);
    cache.set('a', 1);
    cache.set('b', 2);
    cache.get('a');
    cache.set('c', 3);
    expect(['a', 'b', 'c'].map(cache.get)).toEqual([1, undefined, 3]);
  });

  test('capacity 0 -> keeps nothing', () => {
    const cache = createRecentCache<number>(0);
    cache.set('a', 1);
    expect(cache.get('a')).toBeUndefined();
  });

  test('any use -> the last `capacity` distinct keys used, and no other', () => {
    const uses = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'));
    forAll([uses, fc.integer({ min: 0, max: 5 })], { seed: 1 }, (keys, capacity) => {
      const cache = createRecentCache<string>(capacity);
      for (const key of keys) cache.set(key, key);
      const recent: string[] = [...new Set(keys.toReversed())].slice(0, capacity);
      for (const key of 'abcde') {
        expect(cache.get(key)).toBe(recent.includes(key) ? key : undefined);
      }
    });
  });
});
