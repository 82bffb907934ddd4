import { divUp, ONE_IN_PIPS } from './full-math.ts';

/*
 * `SwapMath.computeSwapStep` in its three cases: the step reaches its target price, the input ends
 * first, or the output ends first. All rounding favors the pool.
 * @see https://github.com/Uniswap/v3-core/blob/main/contracts/libraries/SwapMath.sol
 * @see https://github.com/Uniswap/v3-core/blob/main/contracts/libraries/SqrtPriceMath.sol
 */

const Q96 = 96n;
const TWO_TO_256 = 1n << 256n;

/** Liquidity at a price, and the direction in which the price moves. */
export type StepStart = {
  readonly sqrtPriceX96: bigint;
  /** Above 0. */
  readonly liquidity: bigint;
  readonly zeroForOne: boolean;
  readonly feePips: bigint;
};

type StepAmounts = { readonly amountIn: bigint; readonly amountOut: bigint };

/**
 * Returns the amounts of the whole step to `sqrtTargetX96`, which are the same for exact input and
 * exact output.
 */
export function stepToTarget(start: StepStart, sqrtTargetX96: bigint): StepAmounts {
  return {
    amountIn: withFee(inputBetween(start, sqrtTargetX96), start.feePips),
    amountOut: outputBetween(start, sqrtTargetX96),
  };
}

/** Returns the price after `amountIn`, and the output. The input must end within the step. */
export function stepWithInput(
  start: StepStart,
  amountIn: bigint,
): { readonly sqrtPriceX96: bigint; readonly amountOut: bigint } {
  const amountLessFee = (amountIn * (ONE_IN_PIPS - start.feePips)) / ONE_IN_PIPS;
  const priceAfter = start.zeroForOne ? priceAfterInput0 : priceAfterInput1;
  const sqrtPriceX96 = priceAfter(start.sqrtPriceX96, start.liquidity, amountLessFee);
  return { sqrtPriceX96, amountOut: outputBetween(start, sqrtPriceX96) };
}

/** Returns the cost of `amountOut`, including the fee. The output must end within the step. */
export function costOfOutput(start: StepStart, amountOut: bigint): bigint {
  const priceAfter = start.zeroForOne ? priceAfterOutput1 : priceAfterOutput0;
  const sqrtPriceX96 = priceAfter(start.sqrtPriceX96, start.liquidity, amountOut);
  return withFee(inputBetween(start, sqrtPriceX96), start.feePips);
}

function inputBetween(start: StepStart, sqrtEndX96: bigint): bigint {
  return start.zeroForOne
    ? amount0RoundingUp(sqrtEndX96, start.sqrtPriceX96, start.liquidity)
    : amount1RoundingUp(start.sqrtPriceX96, sqrtEndX96, start.liquidity);
}

function outputBetween(start: StepStart, sqrtEndX96: bigint): bigint {
  return start.zeroForOne
    ? amount1RoundingDown(sqrtEndX96, start.sqrtPriceX96, start.liquidity)
    : amount0RoundingDown(start.sqrtPriceX96, sqrtEndX96, start.liquidity);
}

function withFee(amountIn: bigint, feePips: bigint): bigint {
  return amountIn + divUp(amountIn * feePips, ONE_IN_PIPS - feePips);
}

/** Amount of token0 that the pool pays out. */
function amount0RoundingDown(lower: bigint, upper: bigint, liquidity: bigint): bigint {
  return ((liquidity << Q96) * (upper - lower)) / upper / lower;
}

/** Amount of token0 that the pool takes. */
function amount0RoundingUp(lower: bigint, upper: bigint, liquidity: bigint): bigint {
  return divUp(divUp((liquidity << Q96) * (upper - lower), upper), lower);
}

/** Amount of token1 that the pool pays out. */
function amount1RoundingDown(lower: bigint, upper: bigint, liquidity: bigint): bigint {
  return (liquidity * (upper - lower)) >> Q96;
}

/** Amount of token1 that the pool takes. */
function amount1RoundingUp(lower: bigint, upper: bigint, liquidity: bigint): bigint {
  return divUp(liquidity * (upper - lower), 1n << Q96);
}

/** Selling token0 lowers the price. Rounding up favors the pool. */
function priceAfterInput0(sqrtPriceX96: bigint, liquidity: bigint, amount: bigint): bigint {
  if (amount === 0n) return sqrtPriceX96;
  const numerator = liquidity << Q96;
  const product = amount * sqrtPriceX96;
  // The contract uses a coarser formula if the precise one overflows a uint256.
  if (numerator + product >= TWO_TO_256) {
    return divUp(numerator, numerator / sqrtPriceX96 + amount);
  }
  return divUp(numerator * sqrtPriceX96, numerator + product);
}

/** Selling token1 raises the price. Rounding down favors the pool. */
function priceAfterInput1(sqrtPriceX96: bigint, liquidity: bigint, amount: bigint): bigint {
  return sqrtPriceX96 + (amount << Q96) / liquidity;
}

/** Buying token0 raises the price. Rounding up favors the pool. */
function priceAfterOutput0(sqrtPriceX96: bigint, liquidity: bigint, amount: bigint): bigint {
  const numerator = liquidity << Q96;
  return divUp(numerator * sqrtPriceX96, numerator - amount * sqrtPriceX96);
}

/** Buying token1 lowers the price. Rounding down favors the pool. */
function priceAfterOutput1(sqrtPriceX96: bigint, liquidity: bigint, amount: bigint): bigint {
  return sqrtPriceX96 - divUp(amount << Q96, liquidity);
}
