import { expect, test } from 'vitest';
import { words } from '../model/statement.ts';
import { faultsOf, faultUnless } from './faults.ts';

test('faultsOf: nine faulty items -> only the first eight faults', () => {
  const faultOf = (item: number) => ({
    fault: 'any',
    expected: words`none`,
    actual: words`${item}`,
  });
  const faults = faultsOf(
    Array.from({ length: 9 }, (_, index) => index),
    faultOf,
  );
  expect(faults.map(({ actual }) => actual)).toEqual(
    [0, 1, 2, 3, 4, 5, 6, 7].map((number) => [{ kind: 'number', number }]),
  );
  expect(faultsOf([], faultOf)).toEqual([]);
});

test('faultUnless: a function for the words -> called only for a fault', () => {
  const fail = () => expect.fail('made without need');
  expect(faultUnless(true, 'one', ['one'], fail)).toBeUndefined();
  expect(faultUnless(false, 'one', ['one'], () => ['two'])).toEqual({
    fault: 'one',
    expected: ['one'],
    actual: ['two'],
  });
});
