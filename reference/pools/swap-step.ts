import { divUp, ONE_IN_PIPS } from './full-math.ts';
import {
  amount0RoundingDown,
  amount0RoundingUp,
  amount1RoundingDown,
  amount1RoundingUp,
  priceAfterInput0,
  priceAfterInput1,
  priceAfterOutput0,
  priceAfterOutput1,
} from './sqrt-price-math.ts';

/*
 * `SwapMath.computeSwapStep`, in its three cases: the step reaches its target,
 * the input ends before it, or the output does.
 * @see https://github.com/Uniswap/v3-core/blob/main/contracts/libraries/SwapMath.sol
 */

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
