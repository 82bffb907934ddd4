import { expect, test } from 'vitest';
import { words } from '../model/statement.ts';
import { unless, verdictOf } from './faults.ts';

test('verdictOf: nine faulty items -> only the first eight faults', () => {
  const faultOf = (item: number) => ({
    fault: 'any',
    expected: words`none`,
    actual: words`${item}`,
  });
  const verdict = verdictOf(
    Array.from({ length: 9 }, (_, index) => index),
    faultOf,
  );
  expect(verdict.findings.map(({ actual }) => actual)).toEqual(
    [0, 1, 2, 3, 4, 5, 6, 7].map((number) => [{ kind: 'number', number }]),
  );
  expect(verdictOf([], faultOf)).toEqual({ findings: [] });
});

test('unless: a function for the words -> called only for a fault', () => {
  const fail = () => expect.fail('made without need');
  expect(unless(true, 'one', ['one'], fail)).toEqual({ findings: [] });
  expect(unless(false, 'one', ['one'], () => ['two'])).toEqual({
    findings: [{ fault: 'one', expected: ['one'], actual: ['two'] }],
  });
});
