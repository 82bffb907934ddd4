import { expect, test } from 'vitest';
import { cutText } from './cut-text.ts';

test.each([
  ['a😀b', 1, 'a'],
  ['a😀b', 2, 'a'],
  ['a😀b', 3, 'a😀'],
  ['a😀', 9, 'a😀'],
  ['a\ud83d', 2, 'a\ud83d'],
  ['', 5, ''],
])('%j at %d -> %j', (text, max, expected) => {
  expect(cutText(text, max)).toBe(expected);
});
