import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forAll } from '../../fixtures/testing/for-all.testing.ts';
import { readJson } from './read-json.ts';

test('more values than allowed -> not parsed; text inside strings is not counted', () => {
  expect(readJson('[1,{"a":2}]', 3)).toBeUndefined();
  expect(readJson('[1,{"a":2}]', 4)).toMatchObject({ kind: 'json' });
  expect(readJson('",,,,{[,"', 1)).toMatchObject({ value: ',,,,{[,' });
});

describe('readJson', () => {
  test('any JSON value -> itself, without duplicate keys', () => {
    forAll([fc.jsonValue(), fc.constantFrom(undefined, 2)], { seed: 1 }, (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      expect(readJson(text)).toEqual({
        kind: 'json',
        value: JSON.parse(text),
        duplicateKeys: [],
      });
    });
  });

  test('any text -> never throws, and returns the same as JSON.parse', () => {
    forAll([fc.string({ unit: fc.constantFrom(...'{}[]",:\\1atrue') })], { seed: 1 }, (text) => {
      const parses = (() => {
        try {
          JSON.parse(text);
          return true;
        } catch {
          return false;
        }
      })();
      expect(readJson(text).kind === 'json').toBe(parses);
    });
  });

  test.each([
    ['{"a":1,"a":2}', ['/a']],
    ['[{"b":{"c":1,"\\u0063":2}}]', ['/0/b/c']],
    ['{"a":{"a":1},"b":"a","c":["a","a"]}', []],
    ['[[{}],{"x/y~":0,"x/y~":0}]', ['/1/x~1y~0']],
    ['{"a\\\\":1,"a\\"":1,"a\\\\" :1}', ['/a\\']],
    ['{"a":":","b":1,"b" :2}', ['/b']],
    ['{"__proto__":1,"__proto__":2}', ['/__proto__']],
  ])('%s -> duplicates %j', (text, duplicateKeys) => {
    expect(readJson(text)).toMatchObject({ kind: 'json', duplicateKeys });
  });

  test.each(['', '\uFEFF{}', '{"a":NaN}', '{"a":1', '{"a":1,}', "{'a':1}", '<html>'])(
    '%j -> not JSON',
    (text) => {
      expect(readJson(text).kind).toBe('not-json');
    },
  );

  test('100,000 levels -> rejected without a stack overflow', () => {
    for (const text of ['['.repeat(1e5) + ']'.repeat(1e5), '{"a":'.repeat(1e5)]) {
      expect(readJson(text)).toMatchObject({
        kind: 'not-json',
        reason: expect.stringMatching(/256 levels/),
      });
    }
  });
});
