import { describe, expect, test } from 'vitest';
import { SMALL_MARKET } from '../../server/small-market.testing.ts';
import { type Address, parseAddress } from '../domain/address.ts';
import type { Token } from '../domain/token.ts';
import type { ConcentratedPool } from '../pools/concentrated.ts';
import type { ConstantProductPool } from '../pools/constant-product.ts';
import type { Pool } from '../pools/families.ts';
import { concentratedPool, constantProductPool } from '../pools/pools.testing.ts';
import { sqrtRatioAtTick } from '../pools/tick-math.ts';
import type { PoolMarket } from './pool-market.ts';
import { usdPrices } from './usd-prices.ts';

const usd = tokenOf(1, 6);
const weth = tokenOf(2, 18);
const wbtc = tokenOf(3, 8);
const whole = tokenOf(4, 0);
const stray = tokenOf(5, 18);

function tokenOf(digit: number, decimals: number): Token {
  const address = parseAddress(`0x${String(digit).repeat(40)}`);
  return { address, name: `T${digit}`, symbol: `T${digit}`, decimals, logoURI: '' };
}

function pair(a: Token, amountA: number, b: Token, amountB: number): ConstantProductPool {
  const reserve0 = BigInt(amountA) * 10n ** BigInt(a.decimals);
  const reserve1 = BigInt(amountB) * 10n ** BigInt(b.decimals);
  return { ...constantProductPool(reserve0, reserve1), ...sides(a, b) };
}

function sides(a: Token, b: Token): { token0: Address; token1: Address } {
  return { token0: a.address, token1: b.address };
}

function range(
  a: Token,
  b: Token,
  lower: number,
  upper: number,
  liquidity: bigint,
  tick: number,
): ConcentratedPool {
  const pool = concentratedPool([{ lower, upper, liquidity }], sqrtRatioAtTick(tick), {
    tickSpacing: 1,
    feePips: 100,
  });
  return { ...pool, ...sides(a, b) };
}

function marketOf(pools: readonly Pool[]): PoolMarket {
  const tokens = new Map([usd, weth, wbtc, whole, stray].map((token) => [token.address, token]));
  return { ...SMALL_MARKET, usdToken: usd.address, wrappedNative: weth.address, tokens, pools };
}

function priceOf(pools: readonly Pool[], token: Token): number | undefined {
  return usdPrices(marketOf(pools)).get(token.address);
}

describe('usdPrices', () => {
  test('the USD token -> exactly 1; a token without pools -> 0; every token has a price', () => {
    const prices = usdPrices(marketOf([pair(usd, 3_000_000, weth, 1000)]));
    expect(prices.get(usd.address)).toBe(1);
    expect(prices.get(stray.address)).toBe(0);
    expect(prices.size).toBe(5);
  });

  test('3,000,000 USD : 1,000 -> 3000, regardless of fee and decimals', () => {
    const pool = { ...pair(usd, 3_000_000, weth, 1000), feePips: 10_000 };
    expect(priceOf([pool], weth)).toBeCloseTo(3000, 8);
    expect(priceOf([pair(usd, 60_000, wbtc, 1)], wbtc)).toBeCloseTo(60_000, 8);
    expect(priceOf([pair(usd, 50, whole, 100)], whole)).toBeCloseTo(0.5, 12);
  });

  test('a path of several pools -> prices multiply, in either order of the tokens', () => {
    const pools = [
      pair(usd, 3_000_000, weth, 1000),
      pair(weth, 2000, wbtc, 100),
      pair(wbtc, 1, whole, 6),
    ];
    expect(priceOf(pools, wbtc)).toBeCloseTo(60_000, 6);
    expect(priceOf(pools, whole)).toBeCloseTo(10_000, 6);
  });

  test('a tiny pool with a wrong price -> the deep pool sets the price, even through one more pool', () => {
    const pools = [
      pair(usd, 3, weth, 1_000_000),
      pair(usd, 3_000_000, wbtc, 50),
      pair(weth, 1000, wbtc, 50),
    ];
    expect(priceOf(pools, weth)).toBeCloseTo(3000, 6);
    expect(priceOf([...pools].reverse(), weth)).toBeCloseTo(3000, 6);
  });

  test('a narrow range that holds little -> the deep pair sets the price', () => {
    const atParity = Math.round(Math.log(1e12 / 3000) / Math.log(1.0001));
    const narrow = range(usd, weth, atParity + 99, atParity + 101, 10n ** 18n, atParity + 100);
    const pools = [narrow, pair(usd, 3_000_000, weth, 1000)];
    expect(priceOf(pools, weth)).toBeCloseTo(3000, 6);
    expect(priceOf([narrow], weth)).toBeCloseTo(3000 / 1.0001 ** 100, 0);
  });

  test('a range without liquidity at its price, an empty pair -> price 0', () => {
    expect(priceOf([range(usd, weth, 10, 20, 10n ** 18n, 0)], weth)).toBe(0);
    expect(priceOf([pair(usd, 0, weth, 0)], weth)).toBe(0);
    expect(priceOf([pair(usd, 1, weth, 0)], weth)).toBe(0);
    expect(priceOf([pair(usd, 0, weth, 1)], weth)).toBe(0);
  });
});
