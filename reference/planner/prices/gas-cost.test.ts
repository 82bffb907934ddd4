import fc from 'fast-check';
import { expect, test } from 'vitest';
import { forAll } from '../../../fixtures/testing/for-all.testing.ts';
import { loadEmbeddedMarkets } from '../../market/embedded-markets.ts';
import { LONER, SMALL_MARKET, USD, WETH } from '../../server/small-market.testing.ts';
import { constantProductPool } from '../pools/pools.testing.ts';
import { costOfGas, gasCostIn } from './gas-cost.ts';
import type { PoolMarket } from './pool-market.ts';
import { usdPrices } from './usd-prices.ts';

const GWEI = 10n ** 9n;

const pair = constantProductPool(2n * 10n ** 18n, 5_001n * 10n ** 6n);
/** A market in which the native token is worth 2,500.5 dollars. */
const market: PoolMarket = { ...SMALL_MARKET, pools: [{ ...pair, token0: WETH, token1: USD }] };

test('the native token at 2,500.5 dollars -> 100,000 gas at 1 gwei cost 25.005 cents, rounded up', () => {
  const price = gasCostIn(market, usdPrices(market), USD, GWEI);
  expect(price && costOfGas(price, 100_000n)).toBe(250_050n);
  expect(price && costOfGas(price, 100_001n)).toBe(250_053n);
});

test('the native token itself -> exactly the gas at its price', () => {
  const price = gasCostIn(SMALL_MARKET, usdPrices(SMALL_MARKET), WETH, 3n * GWEI + 7n);
  expect(price && costOfGas(price, 123_456n)).toBe(123_456n * (3n * GWEI + 7n));
});

test('a token without pools -> no price', () => {
  expect(gasCostIn(SMALL_MARKET, usdPrices(SMALL_MARKET), LONER, GWEI)).toBeUndefined();
});

test('any gas in any token -> its cost, rounded up', () => {
  const [embedded] = loadEmbeddedMarkets();
  if (embedded === undefined) throw new Error('no embedded market');
  const anyGas = fc.bigInt({ min: 0n, max: 10n ** 8n });
  const anyToken = fc.constantFrom(...embedded.tokens.keys());
  forAll([anyToken, anyGas, anyGas], { seed: 40, numRuns: 200 }, (token, gas, wei) => {
    const price = gasCostIn(embedded, usdPrices(embedded), token, wei);
    fc.pre(price !== undefined);
    const cost = costOfGas(price, gas);
    expect(cost * price.denominator).toBeGreaterThanOrEqual(gas * price.numerator);
    expect((cost - 1n) * price.denominator).toBeLessThan(gas * price.numerator);
  });
});
