import fc from 'fast-check';
import { expect, test } from 'vitest';
import { forAll } from '../../scripts/for-all.testing.ts';
import { parseAddress } from '../domain/address.ts';
import { constantProductPool } from '../pools/pools.testing.ts';
import { loadEmbeddedMarkets } from './embedded-markets.ts';
import { costOfGas, gasCostIn } from './gas-cost.ts';
import type { Market } from './market.ts';

const [usd, weth, stray] = ['1', '2', '3'].map((digit) =>
  parseAddress(`0x${digit.repeat(40)}`),
) as [Market['usdToken'], Market['usdToken'], Market['usdToken']];

/** A market in which native is worth 2,500.5 dollars. */
const market: Market = {
  chainId: 1,
  name: 'Test',
  block: { number: 0, timestamp: 0, hash: `0x${'0'.repeat(64)}` },
  usdToken: usd,
  wrappedNative: weth,
  tokens: new Map(
    [usd, weth, stray].map((address, at) => {
      const decimals = [6, 18, 18][at] ?? 0;
      return [address, { address, name: '', symbol: '', decimals, logoURI: '' }];
    }),
  ),
  pools: [
    { ...constantProductPool(5_001n * 10n ** 6n, 2n * 10n ** 18n), token0: usd, token1: weth },
  ],
  routers: [],
};

const GWEI = 10n ** 9n;

test('native at 2,500.5 dollars -> 100,000 gas at 1 gwei cost 25.005 cents, rounded up', () => {
  const price = gasCostIn(market, usd, GWEI);
  expect(price && costOfGas(price, 100_000n)).toBe(250_050n);
  expect(price && costOfGas(price, 100_001n)).toBe(250_053n);
});

test('native itself -> exactly the gas at its price', () => {
  const price = gasCostIn(market, weth, 3n * GWEI + 7n);
  expect(price && costOfGas(price, 123_456n)).toBe(123_456n * (3n * GWEI + 7n));
});

test('token to which no pool leads -> no price', () => {
  expect(gasCostIn(market, stray, GWEI)).toBeUndefined();
});

test('any gas in any token -> the least whole number that is no less than what it costs', () => {
  const [embedded] = loadEmbeddedMarkets();
  if (embedded === undefined) throw new Error('no embedded market');
  const anyGas = fc.bigInt({ min: 0n, max: 10n ** 8n });
  const anyToken = fc.constantFrom(...embedded.tokens.keys());
  forAll([anyToken, anyGas, anyGas], { seed: 40, numRuns: 200 }, (token, gas, wei) => {
    const price = gasCostIn(embedded, token, wei);
    fc.pre(price !== undefined);
    const cost = costOfGas(price, gas);
    expect(cost * price.denominator).toBeGreaterThanOrEqual(gas * price.numerator);
    expect((cost - 1n) * price.denominator).toBeLessThan(gas * price.numerator);
  });
});
