import { describe, expect, test } from 'vitest';
import {
  given,
  goldenChainInfo,
  goldenFacts,
  goldenTokens,
  inCapitals,
  NATIVE,
  USD,
  WRAPPED,
} from '../model/golden-replies.testing.ts';
import { addressesOf, isKnownToken, knownChain, usesHexAddresses } from './known-chains.ts';
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

describe('what is known of a chain', () => {
  test('hex addresses -> by majority, not by half', () => {
    expect(usesHexAddresses([USD, WRAPPED, 'So1'])).toBe(true);
    expect(usesHexAddresses([USD, 'So1'])).toBe(false);
    expect(usesHexAddresses([])).toBe(false);
  });

  test('addresses -> those of /chainInfo, then those of /tokens', () => {
    const { routers } = goldenChainInfo();
    const listed = goldenTokens().map((token: { address: string }) => token.address);
    const deployed = routers.map((router: { deployedAddress: string }) => router.deployedAddress);
    expect(addressesOf(goldenFacts, 31337)).toEqual([USD, WRAPPED, ...deployed, ...listed]);
    expect(addressesOf({ ...goldenFacts, chainInfo: new Map() }, 31337)).toEqual(listed);
    expect(addressesOf({ ...goldenFacts, tokens: new Map() }, 31337)).toHaveLength(4);
    expect(addressesOf(goldenFacts, undefined)).toEqual([]);
    expect(addressesOf(undefined, 31337)).toEqual([]);
  });

  test('chains and tokens -> those that were named', () => {
    expect(knownChain(goldenFacts, 501)?.name).toBe('Other');
    expect(knownChain(goldenFacts, 502)).toBeUndefined();
    expect(knownChain(undefined, 501)).toBeUndefined();
    expect(isKnownToken(goldenFacts, 31337, inCapitals(USD))).toBe(true);
    expect(isKnownToken(goldenFacts, 31337, NATIVE)).toBe(true);
    expect(isKnownToken(goldenFacts, 31337, `0x${'8'.repeat(40)}`)).toBe(false);
    expect(isKnownToken(goldenFacts, 501, USD)).toBe(false);
  });
});
