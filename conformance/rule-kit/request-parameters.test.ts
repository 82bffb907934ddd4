import { expect, test } from 'vitest';
import type { Exchange } from '../client/exchange.ts';
import { KEY_PLACEHOLDER, parameterOf } from '../client/request.ts';
import { hexMajority } from '../discovery/known-chain.ts';
import { USD, WRAPPED } from '../model/golden-addresses.ts';
import { given } from '../model/golden-replies.testing.ts';
import { requestedChain } from '../model/judged-reply.ts';
import { carriesKey, requestedToken } from './request-parameters.ts';

const exchangeFor = (query: Readonly<Record<string, string | undefined>>) =>
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
  expect(requestedChain(exchangeFor({ chainId }))).toBe(expected);
});

test('a missing or repeated parameter -> undefined', () => {
  const exchange = exchangeFor({});
  expect(parameterOf(exchange.query, 'chainId')).toBe('31337');
  expect(parameterOf(exchange.query, 'router')).toBeUndefined();
  const twice = { ...exchange, query: [...exchange.query, ...exchange.query] };
  expect(parameterOf(twice.query, 'chainId')).toBeUndefined();
});

test.each<[string, Partial<Exchange>, boolean]>([
  ['sent with the key', { query: [['apiKey', KEY_PLACEHOLDER]] }, true],
  ['sent without a key', { query: [] }, false],
  ['sent with another key', { query: [['apiKey', 'another']] }, false],
  ['sent with the key under another name', { query: [['key', KEY_PLACEHOLDER]] }, false],
  ['captured', { origin: 'captured', query: [] }, true],
  ['captured without a key', { origin: 'captured', keyless: true }, false],
])('carriesKey: a request that was %s', (_how, change, carried) => {
  expect(carriesKey({ ...exchangeFor({}), ...change })).toBe(carried);
});

test.each([
  [USD, USD],
  ['So1', 'So1'],
  [`x${USD.slice(2)}`, `x${USD.slice(2)}`],
  [`${USD}0`, `${USD}0`],
  // Only lenient parsers read the following values as addresses.
  [` ${USD}`, undefined],
  [USD.slice(2), undefined],
  [USD.replace('x', 'X'), undefined],
])('sellToken=%s -> %s', (sellToken, expected) => {
  expect(requestedToken(exchangeFor({ sellToken }), 'sellToken')).toBe(expected);
});

test('hexMajority: hex addresses -> 1 for a majority, 0 for a half', () => {
  expect(hexMajority([USD, WRAPPED, 'So1'])).toBe(1);
  expect(hexMajority([USD, 'So1'])).toBe(0);
  expect(hexMajority([])).toBe(0);
});
