import fc from 'fast-check';
import { type Address, parseAddress } from '../domain/address.ts';
import { type ConcentratedPool, priceAfter } from './concentrated.ts';
import type { ConstantProductPool } from './constant-product.ts';
import { curveOf, type Pool, type PoolDirection } from './families.ts';
import { type MakerOrderPool, poolOf } from './maker-order.ts';
import { isZeroForOne } from './pool.ts';
import { asConcentrated, type SingletonPool } from './singleton.ts';
import type { StablePool } from './stable.ts';
import { SwapSteps, type Tick } from './swap-steps.ts';
import { MAX_TICK, sqrtRatioAtTick, tickAtSqrtRatio } from './tick-math.ts';
import type { WeightedPool } from './weighted.ts';

export const token0 = parseAddress(`0x${'1'.repeat(40)}`);
export const token1 = parseAddress(`0x${'2'.repeat(40)}`);
const address = parseAddress(`0x${'a'.repeat(40)}`);

/** Whole numbers whose bit length is uniform, so that tiny and huge numbers are equally likely. */
export function logUniform(maxBits: number): fc.Arbitrary<bigint> {
  return fc
    .integer({ min: 1, max: maxBits })
    .chain((bits) => fc.bigInt({ min: 1n << BigInt(bits - 1), max: (1n << BigInt(bits)) - 1n }));
}

/** Returns the pool after a sale of `offered`, or of the maximum that the pool takes. */
export function poolAfter<State extends Pool>(
  { pool, tokenIn, tokenOut }: PoolDirection & { readonly pool: State },
  offered: bigint,
): State {
  const { amountIn, amountOut } = curveOf({ pool, tokenIn, tokenOut }).swapExactInput(offered);
  if ('balances' in pool) {
    const changeOf = (token: Address) =>
      token === tokenIn ? amountIn : token === tokenOut ? -amountOut : 0n;
    const balances = pool.balances.map(
      (balance, index) => balance + changeOf(pool.tokens[index] as Address),
    );
    return { ...pool, balances };
  }
  if (pool.family === 'maker-order') return { ...pool, available: pool.available - amountIn };
  if (pool.family === 'constant-product') {
    const [change0, change1] = isZeroForOne(pool, tokenIn)
      ? [amountIn, -amountOut]
      : [-amountOut, amountIn];
    return { ...pool, reserve0: pool.reserve0 + change0, reserve1: pool.reserve1 + change1 };
  }
  const ranges = pool.family === 'singleton' ? asConcentrated(pool, tokenIn) : pool;
  const steps = new SwapSteps(ranges, isZeroForOne(pool, tokenIn));
  const { sqrtPriceX96, tick, liquidity } = priceAfter(ranges, steps, amountIn);
  return { ...pool, sqrtPriceX96, tick, liquidity };
}

/** Returns the output per input before any sale, after the fee; 0 if nothing can be bought. */
export function startRateOf(direction: PoolDirection): number {
  return Math.exp(curveOf(direction).segments()[0]?.logRate ?? Number.NEGATIVE_INFINITY);
}

/** Returns a Vault pool's balance of a token; 0 for other pools. */
export function heldOf(pool: Pool, token: Address): bigint {
  return 'balances' in pool ? (pool.balances[pool.tokens.indexOf(token)] ?? 0n) : 0n;
}

/**
 * Returns the number of base units by which the two sides of a Vault pool's swap may differ if the
 * pool holds `held`. Powers in weighted pools have a relative error of 1e-14 of the balance, and
 * are raised by as much. The Newton iteration in stable pools may stop one unit of the invariant
 * early, and amplification multiplies that unit.
 * @see https://github.com/balancer/balancer-v2-monorepo/blob/master/pkg/solidity-utils/contracts/math/FixedPoint.sol
 */
export function roundingOf(held: bigint): bigint {
  return 2n + held / 10n ** 13n;
}

export function constantProductPool(
  reserve0: bigint,
  reserve1: bigint,
  feePips = 3000,
): ConstantProductPool {
  return {
    family: 'constant-product',
    address,
    source: 'V2',
    token0,
    token1,
    feePips,
    reserve0,
    reserve1,
  };
}

export const anyConstantProductPool: fc.Arbitrary<ConstantProductPool> = fc
  .tuple(logUniform(111), logUniform(111), fc.constantFrom(0, 500, 2500, 3000, 10_000))
  .map(([reserve0, reserve1, feePips]) => constantProductPool(reserve0, reserve1, feePips));

export const anyMakerOrderPool: fc.Arbitrary<MakerOrderPool> = fc
  .tuple(logUniform(120), logUniform(120), fc.boolean(), fc.boolean())
  .map(([makerAmount, takerAmount, isForward, isWhole]) => {
    const [takerToken, makerToken] = isForward ? [token0, token1] : [token1, token0];
    const parties = { maker: address, taker: address, makerToken, takerToken };
    const order = { ...parties, makerAmount, takerAmount, expiry: 0n, salt: 0n };
    const pool = poolOf(address, order, '0x');
    return isWhole ? pool : { ...pool, available: takerAmount / 3n };
  });

/** A range of liquidity, as one position provides it. */
export type Position = {
  readonly lower: number;
  readonly upper: number;
  readonly liquidity: bigint;
};

export function concentratedPool(
  positions: readonly Position[],
  sqrtPriceX96: bigint,
  { feePips = 3000, tickSpacing = 60 } = {},
): ConcentratedPool {
  const tick = tickAtSqrtRatio(sqrtPriceX96);
  const byIndex = new Map<number, Tick>();
  const update = (index: number, gross: bigint, net: bigint) => {
    const known = byIndex.get(index);
    byIndex.set(index, {
      index,
      liquidityGross: (known?.liquidityGross ?? 0n) + gross,
      liquidityNet: (known?.liquidityNet ?? 0n) + net,
    });
  };
  let liquidity = 0n;
  for (const position of positions) {
    update(position.lower, position.liquidity, position.liquidity);
    update(position.upper, position.liquidity, -position.liquidity);
    if (position.lower <= tick && tick < position.upper) liquidity += position.liquidity;
  }
  return {
    family: 'concentrated',
    address,
    source: 'V3',
    token0,
    token1,
    feePips,
    tickSpacing,
    sqrtPriceX96,
    tick,
    liquidity,
    ticks: [...byIndex.values()].sort((a, b) => a.index - b.index),
  };
}

/**
 * Pools of every fee tier. Ranges may overlap, leave gaps or cover all prices, and prices may lie
 * on a tick or beyond all liquidity.
 */
export const anyConcentratedPool: fc.Arbitrary<ConcentratedPool> = fc
  .constantFrom(
    { feePips: 100, tickSpacing: 1 },
    { feePips: 500, tickSpacing: 10 },
    { feePips: 3000, tickSpacing: 60 },
    { feePips: 10_000, tickSpacing: 200 },
  )
  .chain((tier) => {
    const { tickSpacing } = tier;
    const steps = Math.floor(MAX_TICK / tickSpacing);
    const center = fc.integer({
      min: -Math.floor(500_000 / tickSpacing),
      max: Math.floor(500_000 / tickSpacing),
    });
    return center.chain((middle) => {
      const near = fc.integer({ min: middle - 700, max: middle + 700 });
      const range = fc
        .tuple(near, near)
        .filter(([a, b]) => a !== b)
        .map(
          ([a, b]) => [Math.max(-steps, Math.min(a, b)), Math.min(steps, Math.max(a, b))] as const,
        );
      const full = fc.constant([-steps, steps] as const);
      const position = fc
        .tuple(
          fc.oneof({ weight: 6, arbitrary: range }, { weight: 1, arbitrary: full }),
          logUniform(100),
        )
        .map(([[lower, upper], liquidity]) => ({
          lower: lower * tickSpacing,
          upper: upper * tickSpacing,
          liquidity,
        }));
      const price = fc
        .tuple(
          near,
          fc.integer({ min: 0, max: tickSpacing - 1 }),
          fc.boolean(),
          fc.bigInt({ min: 0n, max: 1_000_000n }),
        )
        .map(([step, offset, onTick, extra]) => {
          const at = sqrtRatioAtTick(step * tickSpacing + (onTick ? 0 : offset));
          return onTick ? at : at + (at * extra) / 20_000_000_000n;
        });
      return fc
        .tuple(fc.array(position, { minLength: 1, maxLength: 6 }), price)
        .map(([positions, sqrtPriceX96]) => concentratedPool(positions, sqrtPriceX96, tier));
    });
  });

export const anySingletonPool: fc.Arbitrary<SingletonPool> = fc
  .tuple(anyConcentratedPool, fc.boolean(), fc.nat(1000), fc.nat(1000))
  .map(([pool, isNative, down, up]) => ({
    ...pool,
    family: 'singleton',
    poolId: `0x${'0'.repeat(64)}`,
    isNative,
    protocolFee: down + (up << 12),
  }));

const vaultTokens = ['1', '2', '3', '4', '5', '6', '7', '8'].map((digit) =>
  parseAddress(`0x${digit.repeat(40)}`),
);

/** Generates pools of the Vault, with balances from about 2^10 to 2^worthBits whole tokens. */
function anyVaultPool(maxTokens: number, worthBits: number) {
  const balance = fc.tuple(logUniform(worthBits), fc.constantFrom(0, 2, 6, 8, 18));
  return fc
    .tuple(
      fc.array(balance, { minLength: 2, maxLength: maxTokens }),
      fc.constantFrom(10n ** 12n, 4n * 10n ** 14n, 10n ** 17n),
    )
    .map(([held, swapFee]) => ({
      address,
      source: 'Vault',
      vault: address,
      poolId: `0x${'0'.repeat(64)}`,
      tokens: vaultTokens.slice(0, held.length),
      balances: held.map(([amount, decimals]) => (amount + 2n ** 10n) * 10n ** BigInt(decimals)),
      scales: held.map(([, decimals]) => 10n ** BigInt(18 - decimals)),
      swapFee,
    }));
}

export const anyStablePool: fc.Arbitrary<StablePool> = fc
  .tuple(anyVaultPool(4, 14), fc.integer({ min: 1, max: 5000 }))
  .map(([pool, amplification]) => ({
    ...pool,
    family: 'stable',
    amplification: 1000n * BigInt(amplification),
  }));

export const anyWeightedPool: fc.Arbitrary<WeightedPool> = fc
  .tuple(
    anyVaultPool(8, 20),
    fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 8, maxLength: 8 }),
  )
  .map(([pool, parts]) => {
    const own = parts.slice(0, pool.tokens.length).map(BigInt);
    const sum = own.reduce((total, part) => total + part, 0n);
    const weights = own.map((part) => (part * 10n ** 18n) / sum);
    const rest = 10n ** 18n - weights.reduce((total, weight) => total + weight, 0n);
    return {
      ...pool,
      family: 'weighted',
      weights: weights.map((weight, index) => (index === 0 ? weight + rest : weight)),
    };
  });
