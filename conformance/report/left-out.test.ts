import { describe, expect, test } from 'vitest';
import { groupLeftOut, leftOutLine } from './left-out.ts';

describe('groupLeftOut', () => {
  test('two reasons -> two groups, each rule once', () => {
    expect(
      groupLeftOut([
        { id: 'a/1', why: 'not in --only' },
        { id: 'b/1', why: 'no time left' },
        { id: 'a/2', why: 'not in --only' },
      ]),
    ).toEqual([
      { why: 'not in --only', ids: ['a/1', 'a/2'] },
      { why: 'no time left', ids: ['b/1'] },
    ]);
  });

  test('nothing left out -> no group', () => {
    expect(groupLeftOut()).toEqual([]);
  });
});

describe('leftOutLine', () => {
  test('more rules than fit -> the first, and how many more', () => {
    expect(leftOutLine({ why: 'not in --only', ids: ['a', 'b', 'c'] }, 2)).toBe(
      '3 rules, not in --only: a, b and 1 more',
    );
  });
});
