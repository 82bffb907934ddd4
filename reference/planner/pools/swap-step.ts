import { divUp, ONE_IN_PIPS } from './full-math.ts';

/*
 * `SwapMath.computeSwapStep`, in its three cases: the step reaches its target,
 * the input ends before it, or the output does. Every rounding favours the pool.
 * @see https://github.com/Uniswap/v3-core/blob/main/contracts/libraries/SwapMath.sol
 * @see https://github.com/Uniswap/v3-core/blob/main/contracts/libraries/SqrtPriceMath.sol
 */

const Q96 = 96n;
const TWO_TO_256 = 1n << 256n;

/** Liquidity at a price, and which way the price is to move. */
export type StepStart = {
  readonly sqrtPriceX96: bigint;
  /** Above 0. */
  readonly liquidity: bigint;
  readonly zeroForOne: boolean;
  readonly feePips: bigint;
};

/** Amounts of one step in base units; `amountIn` has the fee in it. */
type StepAmounts = { readonly amountIn: bigint; readonly amountOut: bigint };

/** Returns what the whole step to `sqrtTargetX96` takes and gives, exact input or output alike. */
export function stepToTarget(start: StepStart, sqrtTargetX96: bigint): StepAmounts {
  return {
    amountIn: withFee(inputBetween(start, sqrtTargetX96), start.feePips),
    amountOut: outputBetween(start, sqrtTargetX96),
  };
}

/** Returns where `amountIn`, less than the whole step takes, moves the price, and what it buys. */
export function stepWithInput(
  start: StepStart,
  amountIn: bigint,
): { readonly sqrtPriceX96: bigint; readonly amountOut: bigint } {
  const amountLessFee = (amountIn * (ONE_IN_PIPS - start.feePips)) / ONE_IN_PIPS;
  const priceAfter = start.zeroForOne ? priceAfterInput0 : priceAfterInput1;
  const sqrtPriceX96 = priceAfter(start.sqrtPriceX96, start.liquidity, amountLessFee);
  return { sqrtPriceX96, amountOut: outputBetween(start, sqrtPriceX96) };
}

/** Returns what `amountOut`, less than the whole step gives, costs with the fee. */
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

/** Returns the token0 between two prices, `lower` <= `upper`, rounded down: what the pool gives. */
function amount0RoundingDown(lower: bigint, upper: bigint, liquidity: bigint): bigint {
  return ((liquidity << Q96) * (upper - lower)) / upper / lower;
}

/** Returns the token0 between two prices, `lower` <= `upper`, rounded up: what the pool takes. */
function amount0RoundingUp(lower: bigint, upper: bigint, liquidity: bigint): bigint {
  return divUp(divUp((liquidity << Q96) * (upper - lower), upper), lower);
}

/** Returns the token1 between two prices, `lower` <= `upper`, rounded down: what the pool gives. */
function amount1RoundingDown(lower: bigint, upper: bigint, liquidity: bigint): bigint {
  return (liquidity * (upper - lower)) >> Q96;
}

/** Returns the token1 between two prices, `lower` <= `upper`, rounded up: what the pool takes. */
function amount1RoundingUp(lower: bigint, upper: bigint, liquidity: bigint): bigint {
  return divUp(liquidity * (upper - lower), 1n << Q96);
}

/** Returns the price after `amount` of token0 came in: it falls, and is rounded up, to give out less. */
function priceAfterInput0(sqrtPriceX96: bigint, liquidity: bigint, amount: bigint): bigint {
  if (amount === 0n) return sqrtPriceX96;
  const numerator = liquidity << Q96;
  const product = amount * sqrtPriceX96;
  // The contract takes a coarser formula where the precise one overflows a uint256.
  if (numerator + product >= TWO_TO_256) {
    return divUp(numerator, numerator / sqrtPriceX96 + amount);
  }
  return divUp(numerator * sqrtPriceX96, numerator + product);
}

/** Returns the price after `amount` of token1 came in: it rises, and is rounded down, to give out less. */
function priceAfterInput1(sqrtPriceX96: bigint, liquidity: bigint, amount: bigint): bigint {
  return sqrtPriceX96 + (amount << Q96) / liquidity;
}

/** Returns the price after `amount` of token0 went out: it rises, and is rounded up, to take in more. */
function priceAfterOutput0(sqrtPriceX96: bigint, liquidity: bigint, amount: bigint): bigint {
  const numerator = liquidity << Q96;
  return divUp(numerator * sqrtPriceX96, numerator - amount * sqrtPriceX96);
}

/** Returns the price after `amount` of token1 went out: it falls, and is rounded down, to take in more. */
function priceAfterOutput1(sqrtPriceX96: bigint, liquidity: bigint, amount: bigint): bigint {
  return sqrtPriceX96 - divUp(amount << Q96, liquidity);
}
