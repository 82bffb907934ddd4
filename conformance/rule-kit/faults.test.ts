import { expect, test } from 'vitest';
import { quote, quoteAll, unless, verdictOf } from './faults.ts';

test.each<[string, unknown, string]>([
  ['a text', 'a "b"', String.raw`"a \"b\""`],
  ['nothing', undefined, 'nothing'],
  ['an object', { a: [1] }, '{"a":[1]}'],
  ['120 characters', 'x'.repeat(118), `"${'x'.repeat(118)}"`],
  ['a longer text: cut, its quotes closed', 'x'.repeat(119), `"${'x'.repeat(115)}..."`],
  ['longer, not in a text', Array(70).fill(1), `[${'1,'.repeat(57)}1...`],
  [
    'cut in the middle of an escape',
    `${'x'.repeat(114)}${'"'.repeat(9)}`,
    `"${'x'.repeat(114)}..."`,
  ],
  ['cut after escaped backslashes', `${'\\'.repeat(90)}`, `"${'\\'.repeat(0)}..."`],
  ['quotes inside do not end it', `"${'x'.repeat(130)}`, String.raw`"\"${'x'.repeat(113)}..."`],
])('quote: %s', (_what, value, said) => expect(quote(value)).toBe(said));

test('quoteAll: with commas between', () => expect(quoteAll(['a', 1])).toBe('"a", 1'));

test('verdictOf: the first eight of many', () => {
  const faultOf = (item: number) => ({ expected: 'none', actual: `${item}` });
  const verdict = verdictOf(
    Array.from({ length: 9 }, (_, index) => index),
    faultOf,
  );
  expect(verdict.findings.map(({ actual }) => actual)).toEqual([...'01234567']);
  expect(verdictOf([], faultOf)).toEqual({ findings: [] });
});

test('unless: words that are made only where they are needed', () => {
  const fail = () => expect.fail('made without need');
  expect(unless(true, 'one', fail)).toEqual({ findings: [] });
  expect(unless(false, 'one', () => 'two')).toEqual({
    findings: [{ expected: 'one', actual: 'two' }],
  });
});
