import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forAll } from '../../fixtures/testing/for-all.testing.ts';
import { parseQuery, pathOf } from './query.ts';

describe('parseQuery', () => {
  test('any pairs, form-encoded -> the same pairs', () => {
    const pairs = fc.array(
      fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' })),
    );
    forAll([pairs], { seed: 1 }, (given) => {
      const encoded = new URLSearchParams(given);
      const read = parseQuery(`/x?${encoded}`);
      for (const name of encoded.keys()) expect(read?.getAll(name)).toEqual(encoded.getAll(name));
    });
  });

  test('no query, an empty query, empty segments -> no parameters', () => {
    for (const target of ['/x', '/x?', '/x?&&']) expect(parseQuery(target)?.size).toBe(0);
  });

  test('a name without = -> an empty value; a second ? or = is part of the value', () => {
    expect(parseQuery('/x?a')?.getAll('a')).toEqual(['']);
    expect(parseQuery('/x?a=b=c?d')?.getAll('a')).toEqual(['b=c?d']);
  });

  test('an encoded name -> the same parameter', () => {
    expect(parseQuery('/x?chain%49d=1&chainId=2')?.getAll('chainId')).toEqual(['1', '2']);
  });

  test.each(['%', '%1', '%ZZ', '%FF', '%C3%28', '%ED%A0%80'])('%s -> malformed', (text) => {
    expect(parseQuery(`/x?a=${text}`)).toBeUndefined();
    expect(parseQuery(`/x?${text}=a`)).toBeUndefined();
  });
});

describe('pathOf', () => {
  test.each([
    ['/a/b?c', '/a/b'],
    ['/a', '/a'],
    ['http://host:1/a?b', '/a'],
    ['http://host?b', ''],
    ['//a/b', '//a/b'],
  ])('%s -> %j', (target, path) => {
    expect(pathOf(target)).toBe(path);
  });
});
