import { expect, test } from 'vitest';
import { words } from '../model/statement.ts';
import { unless, verdictOf } from './faults.ts';

test('verdictOf: the first eight of many', () => {
  const faultOf = (item: number) => ({ expected: words`none`, actual: words`${item}` });
  const verdict = verdictOf(
    Array.from({ length: 9 }, (_, index) => index),
    faultOf,
  );
  expect(verdict.findings.map(({ actual }) => actual)).toEqual(
    [0, 1, 2, 3, 4, 5, 6, 7].map((number) => [{ kind: 'number', number }]),
  );
  expect(verdictOf([], faultOf)).toEqual({ findings: [] });
});

test('unless: a function for words is only called for a fault', () => {
  const fail = () => expect.fail('made without need');
  expect(unless(true, ['one'], fail)).toEqual({ findings: [] });
  expect(unless(false, ['one'], () => ['two'])).toEqual({
    findings: [{ expected: ['one'], actual: ['two'] }],
  });
});
