import type { Address } from '../domain/address.ts';
import type { ConcentratedPool } from './concentrated.ts';
import type { SwapOutcome } from './pool.ts';
import { MAX_TICK, MIN_TICK, sqrtRatioAtTick, tickAtSqrtRatio } from './tick-math.ts';

/*
 * `UniswapV3Pool.swap` and the libraries under it, transcribed line by line and
 * step by step: an independent witness to the ladder, which knows no shortcut.
 */

const Q96 = 1n << 96n;
const UINT256 = 1n << 256n;
const mulDivUp = (a: bigint, b: bigint, d: bigint) => (a * b) / d + ((a * b) % d > 0n ? 1n : 0n);
const ceil = (a: bigint, d: bigint) => a / d + (a % d > 0n ? 1n : 0n);

function amount0Delta(a: bigint, b: bigint, liquidity: bigint, roundUp: boolean): bigint {
  if (a > b) [a, b] = [b, a];
  const numerator1 = liquidity << 96n;
  const numerator2 = b - a;
  return roundUp ? ceil(mulDivUp(numerator1, numerator2, b), a) : (numerator1 * numerator2) / b / a;
}

function amount1Delta(a: bigint, b: bigint, liquidity: bigint, roundUp: boolean): bigint {
  if (a > b) [a, b] = [b, a];
  return roundUp ? mulDivUp(liquidity, b - a, Q96) : (liquidity * (b - a)) / Q96;
}

function nextPriceFromAmount0(
  price: bigint,
  liquidity: bigint,
  amount: bigint,
  add: boolean,
): bigint {
  if (amount === 0n) return price;
  const numerator1 = liquidity << 96n;
  const product = (amount * price) % UINT256;
  if (add) {
    if (product / amount === price) {
      const denominator = (numerator1 + product) % UINT256;
      if (denominator >= numerator1) return mulDivUp(numerator1, price, denominator);
    }
    return ceil(numerator1, numerator1 / price + amount);
  }
  if (!(product / amount === price && numerator1 > product)) throw new Error('revert');
  return mulDivUp(numerator1, price, numerator1 - product);
}

function nextPriceFromAmount1(
  price: bigint,
  liquidity: bigint,
  amount: bigint,
  add: boolean,
): bigint {
  if (add) return price + (amount * Q96) / liquidity;
  const quotient = mulDivUp(amount, Q96, liquidity);
  if (price <= quotient) throw new Error('revert');
  return price - quotient;
}

function computeSwapStep(
  current: bigint,
  target: bigint,
  liquidity: bigint,
  amountRemaining: bigint,
  feePips: bigint,
): { next: bigint; amountIn: bigint; amountOut: bigint; feeAmount: bigint } {
  const zeroForOne = current >= target;
  const exactIn = amountRemaining >= 0n;
  let next: bigint;
  let amountIn = 0n;
  let amountOut = 0n;
  if (exactIn) {
    const lessFee = (amountRemaining * (1_000_000n - feePips)) / 1_000_000n;
    amountIn = zeroForOne
      ? amount0Delta(target, current, liquidity, true)
      : amount1Delta(current, target, liquidity, true);
    if (lessFee >= amountIn) next = target;
    else
      next = zeroForOne
        ? nextPriceFromAmount0(current, liquidity, lessFee, true)
        : nextPriceFromAmount1(current, liquidity, lessFee, true);
  } else {
    amountOut = zeroForOne
      ? amount1Delta(target, current, liquidity, false)
      : amount0Delta(current, target, liquidity, false);
    if (-amountRemaining >= amountOut) next = target;
    else
      next = zeroForOne
        ? nextPriceFromAmount1(current, liquidity, -amountRemaining, false)
        : nextPriceFromAmount0(current, liquidity, -amountRemaining, false);
  }
  const max = target === next;
  if (zeroForOne) {
    if (!(max && exactIn)) amountIn = amount0Delta(next, current, liquidity, true);
    if (!(max && !exactIn)) amountOut = amount1Delta(next, current, liquidity, false);
  } else {
    if (!(max && exactIn)) amountIn = amount1Delta(current, next, liquidity, true);
    if (!(max && !exactIn)) amountOut = amount0Delta(current, next, liquidity, false);
  }
  if (!exactIn && amountOut > -amountRemaining) amountOut = -amountRemaining;
  const feeAmount =
    exactIn && next !== target
      ? amountRemaining - amountIn
      : mulDivUp(amountIn, feePips, 1_000_000n - feePips);
  return { next, amountIn, amountOut, feeAmount };
}

/** The next initialised tick, searched one by one up to the end of the bitmap word. */
function nextInitializedTickWithinOneWord(
  initialised: ReadonlyMap<number, bigint>,
  tick: number,
  tickSpacing: number,
  lte: boolean,
): number {
  let compressed = Math.floor(tick / tickSpacing);
  if (!lte) compressed++;
  const endBit = lte ? 0 : 255;
  while (!initialised.has(compressed * tickSpacing) && (compressed & 255) !== endBit) {
    compressed += lte ? -1 : 1;
  }
  return compressed * tickSpacing;
}

/** Returns what the pool's `swap` pays, and the pool after it; `amountSpecified` < 0 is an exact output. */
export function uniswapV3Swap(
  pool: ConcentratedPool,
  tokenIn: Address,
  amountSpecified: bigint,
): { readonly swap: SwapOutcome; readonly after: ConcentratedPool } {
  const zeroForOne = tokenIn === pool.token0;
  const initialised = new Map(pool.ticks.map((tick) => [tick.index, tick.liquidityNet]));
  const limit = zeroForOne
    ? 4295128739n + 1n
    : 1461446703485210103287273052203988822378723970342n - 1n;
  const exactInput = amountSpecified > 0n;
  let remaining = amountSpecified;
  let calculated = 0n;
  let { sqrtPriceX96, tick, liquidity } = pool;
  while (remaining !== 0n && sqrtPriceX96 !== limit) {
    const start = sqrtPriceX96;
    const tickNext = Math.max(
      MIN_TICK,
      Math.min(
        MAX_TICK,
        nextInitializedTickWithinOneWord(initialised, tick, pool.tickSpacing, zeroForOne),
      ),
    );
    const priceNext = sqrtRatioAtTick(tickNext);
    const target = (zeroForOne ? priceNext < limit : priceNext > limit) ? limit : priceNext;
    const step = computeSwapStep(start, target, liquidity, remaining, BigInt(pool.feePips));
    sqrtPriceX96 = step.next;
    if (exactInput) {
      remaining -= step.amountIn + step.feeAmount;
      calculated += step.amountOut;
    } else {
      remaining += step.amountOut;
      calculated += step.amountIn + step.feeAmount;
    }
    if (sqrtPriceX96 === priceNext) {
      const net = initialised.get(tickNext) ?? 0n;
      liquidity += zeroForOne ? -net : net;
      tick = zeroForOne ? tickNext - 1 : tickNext;
    } else if (sqrtPriceX96 !== start) {
      tick = tickAtSqrtRatio(sqrtPriceX96);
    }
  }
  const specified = amountSpecified - remaining;
  const kind = remaining === 0n ? 'filled' : 'exhausted';
  const swap: SwapOutcome = exactInput
    ? { kind, amountIn: specified, amountOut: calculated }
    : { kind, amountIn: calculated, amountOut: -specified };
  return { swap, after: { ...pool, sqrtPriceX96, tick, liquidity } };
}
