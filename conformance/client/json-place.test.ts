import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forAll } from '../../fixtures/testing/for-all.testing.ts';
import { placeIn, rangeIn } from './json-place.ts';

const BODY = '{ "price": 1e400, "sell": {"amount": 12345678901234567890, "a/b~": [0, 1.0]} }';

describe('placeIn', () => {
  test('a number -> its original digits, with its surroundings', () => {
    expect(placeIn(BODY, '/price')).toEqual({
      around: { pointer: '/price', text: '1e400' },
      number: '1e400',
    });
    expect(placeIn(BODY, '/sell/amount')).toEqual({
      around: { pointer: '/sell', text: '{"amount": 12345678901234567890, "a/b~": [0, 1.0]}' },
      number: '12345678901234567890',
    });
    expect(placeIn(BODY, '/sell/a~1b~0/1').number).toBe('1.0');
  });

  test('an entry of a list -> that entry, however short the list', () => {
    const list = '{"routes":[{"from":[{"id":0,"amount":"5"}]},{}]}';
    expect(placeIn(list, '/routes/0/from/0/amount').around?.pointer).toBe('/routes/0');
    expect(placeIn(list, '/routes/1').around).toEqual({ pointer: '/routes/1', text: '{}' });
  });

  test('a missing value -> the object that lacks it', () => {
    const { around, number } = placeIn(BODY, '/sell/amount2');
    expect(around?.pointer).toBe('/sell');
    expect(number).toBeUndefined();
  });

  test('the whole body, or a place too large to show -> nothing', () => {
    expect(placeIn(BODY, '')).toEqual({});
    expect(placeIn(`{"a":"${'x'.repeat(2000)}"}`, '/a')).toEqual({});
    expect(placeIn(`{"a":[${'5,'.repeat(2000)}7]}`, '/a/2000').around?.text).toBe('7');
  });
});

describe('rangeIn', () => {
  test('any value of any body -> found at its pointer', () => {
    forAll([fc.json(), fc.nat(4)], { seed: 13 }, (json, indent) => {
      const text = JSON.stringify({ a: [JSON.parse(json)] }, undefined, indent);
      const { offset, length } = rangeIn(text, '/a/0') ?? { offset: -1, length: 0 };
      expect(JSON.parse(text.slice(offset, offset + length))).toEqual(JSON.parse(json));
    });
  });

  test('a truncated text -> the values before the cut', () => {
    expect(rangeIn('{"a":[{"b":1},{"b', '/a/0/b')).toMatchObject({ offset: 11, length: 1 });
    expect(rangeIn('{"a":[{"b":1},{"b', '/a/7/b')).toBeUndefined();
  });
});
