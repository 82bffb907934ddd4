import { expect, test } from 'vitest';
import { copyStart, cutText, shorten } from './cut-text.ts';

test.each([
  ['a😀b', 1, 'a'],
  ['a😀b', 2, 'a'],
  ['a😀b', 3, 'a😀'],
  ['a😀', 9, 'a😀'],
  ['a\ud83d', 2, 'a\ud83d'],
  ['', 5, ''],
])('cutText %j at %d -> %j', (text, max, expected) => {
  expect(cutText(text, max)).toBe(expected);
  expect(copyStart(text, max)).toBe(expected);
});

test.each([
  ['abc', 3, 'abc'],
  ['abcd', 3, 'ab…'],
  ['a😀bc', 3, 'a…'],
  ['', 3, ''],
])('shorten %j to %d -> %j', (text, max, expected) => {
  expect(shorten(text, max)).toBe(expected);
});
