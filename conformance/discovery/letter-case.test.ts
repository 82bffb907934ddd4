import { expect, test } from 'vitest';
import { exchangeWith } from '../client/exchange.testing.ts';
import { candidatePairs, pickTokens } from './candidates.ts';
import { readQuote } from './quote.ts';

/** Addresses in base58 that differ only in letter case are those of different tokens. */
const [ONE, OTHER] = [
  'So11111111111111111111111111111111111111112',
  'SO11111111111111111111111111111111111111112',
];
const HEX = `0x${'ab'.repeat(20)}`;
const listed = (address: string) => ({ address, name: 'T', symbol: 'T', decimals: 9 });
const info = (usdTokenAddress: string, wrappedNativeTokenAddress: string) =>
  ({ chainId: 7, name: 'C', usdTokenAddress, wrappedNativeTokenAddress, routers: [] }) as never;

test('tokens whose base58 addresses differ only in letter case -> two tokens; in hex, one', () => {
  const addressesOf = (...addresses: readonly string[]) =>
    pickTokens(addresses.map(listed), undefined, 9).map(({ address }) => address);
  expect(addressesOf(ONE, OTHER)).toEqual([ONE, OTHER]);
  expect(addressesOf(HEX, HEX.toUpperCase().replace('X', 'x'))).toHaveLength(1);
});

test('a USD token that differs from a listed one in letter case -> not that token', () => {
  const assets = pickTokens([listed(OTHER)], info(ONE, HEX), 9);
  expect(assets.map(({ address }) => address)).toEqual([ONE, HEX, OTHER]);
  const [usd, , other] = assets;
  const native = { address: '0x0', symbol: 'N', decimals: 9, usdPrice: 1, native: true };
  const hubs = { usd: OTHER, wrappedNative: undefined };
  const [first] = candidatePairs(assets, native, hubs, 1);
  expect(first).toEqual([native, other]);
  expect(first).not.toContain(usd);
});

test('a plan with two tokens that differ in letter case -> the price of each', () => {
  const token = (address: string, usdPrice: number) => ({ ...listed(address), usdPrice });
  const body = {
    sell: { referenceId: 0, amount: '1' },
    buy: { referenceId: 1, amount: '2' },
    tokens: [token(ONE, 3), token(OTHER, 5)].map((each, referenceId) => ({ ...each, referenceId })),
    routes: [],
  };
  const quote = readQuote(exchangeWith(body));
  expect([...(quote?.tokens ?? [])].map(([key, { usdPrice }]) => [key, usdPrice])).toEqual([
    [ONE, 3],
    [OTHER, 5],
  ]);
});
