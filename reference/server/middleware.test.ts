import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forAll } from '../../fixtures/testing/for-all.testing.ts';
import { RequestError } from './errors.ts';
import { decodeQuery } from './middleware.ts';

describe('decodeQuery', () => {
  test('any pairs, form-encoded -> the same pairs', () => {
    const pairs = fc.array(
      fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' })),
    );
    forAll([pairs], { seed: 1 }, (given) => {
      const encoded = new URLSearchParams(given);
      const read = decodeQuery(`${encoded}`);
      for (const name of encoded.keys()) expect(read.getAll(name)).toEqual(encoded.getAll(name));
    });
  });

  test('an empty query, empty segments -> no parameters', () => {
    for (const text of ['', '&&']) expect(decodeQuery(text).size).toBe(0);
  });

  test('a name without = -> an empty value; a second ? or = is part of the value', () => {
    expect(decodeQuery('a').getAll('a')).toEqual(['']);
    expect(decodeQuery('a=b=c?d').getAll('a')).toEqual(['b=c?d']);
  });

  test('an encoded name -> the same parameter', () => {
    expect(decodeQuery('chain%49d=1&chainId=2').getAll('chainId')).toEqual(['1', '2']);
  });

  test.each(['%', '%1', '%ZZ', '%FF', '%C3%28', '%ED%A0%80'])('%s -> malformed', (text) => {
    expect(() => decodeQuery(`a=${text}`)).toThrow(RequestError);
    expect(() => decodeQuery(`${text}=a`)).toThrow(RequestError);
  });
});
