import { expect, test } from 'vitest';
import { given, USD, WRAPPED } from '../model/golden-replies.testing.ts';
import { usesHexAddresses } from './known-chains.ts';
import { askedFor, chainAskedFor } from './request-parameters.ts';

const askedWith = (query: Readonly<Record<string, string | undefined>>) =>
  given({}, { query }).exchange;

test.each([
  ['31337', 31337],
  ['0', 0],
  ['031337', undefined],
  ['x31337', undefined],
  ['31337x', undefined],
  ['1234567890123456', 1234567890123456],
  ['12345678901234567', undefined],
  [undefined, undefined],
])('chainId=%s -> %s', (chainId, expected) => {
  expect(chainAskedFor(askedWith({ chainId }))).toBe(expected);
});

test('no value, or two -> not known what was asked', () => {
  const exchange = askedWith({});
  expect(askedFor(exchange, 'chainId')).toBe('31337');
  expect(askedFor(exchange, 'router')).toBeUndefined();
  const twice = { ...exchange, query: [...exchange.query, ...exchange.query] };
  expect(askedFor(twice, 'chainId')).toBeUndefined();
});

test('hex addresses of a chain -> by majority, not by half', () => {
  expect(usesHexAddresses([USD, WRAPPED, 'So1'])).toBe(true);
  expect(usesHexAddresses([USD, 'So1'])).toBe(false);
  expect(usesHexAddresses([])).toBe(false);
});
