import { expect, test } from 'vitest';
import { rememberLast } from './remember-last.ts';

test('calls with the arguments of the last -> its answer; with others, one of their own', () => {
  let calls = 0;
  const ask = rememberLast((one: number, other: object | undefined) => [one, other, calls++]);
  const owner = {};
  const first = ask(1, owner);
  expect(ask(1, owner)).toBe(first);
  expect(ask(1, {})).toEqual([1, {}, 1]);
  expect(ask(2, undefined)).toEqual([2, undefined, 2]);
  expect(ask(1, owner)).toEqual([1, owner, 3]);
});
