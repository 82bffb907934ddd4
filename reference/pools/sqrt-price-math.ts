import { divUp } from './full-math.ts';

/*
 * What a move of the price takes and gives, and where the price goes. Every
 * rounding favours the pool.
 * @see https://github.com/Uniswap/v3-core/blob/main/contracts/libraries/SqrtPriceMath.sol
 */

const Q96 = 96n;
const TWO_TO_256 = 1n << 256n;

/** Returns the token0 between two prices, `lower` <= `upper`, rounded down: what the pool gives. */
export function amount0RoundingDown(lower: bigint, upper: bigint, liquidity: bigint): bigint {
  return ((liquidity << Q96) * (upper - lower)) / upper / lower;
}

/** Returns the token0 between two prices, `lower` <= `upper`, rounded up: what the pool takes. */
export function amount0RoundingUp(lower: bigint, upper: bigint, liquidity: bigint): bigint {
  return divUp(divUp((liquidity << Q96) * (upper - lower), upper), lower);
}

/** Returns the token1 between two prices, `lower` <= `upper`, rounded down: what the pool gives. */
export function amount1RoundingDown(lower: bigint, upper: bigint, liquidity: bigint): bigint {
  return (liquidity * (upper - lower)) >> Q96;
}

/** Returns the token1 between two prices, `lower` <= `upper`, rounded up: what the pool takes. */
export function amount1RoundingUp(lower: bigint, upper: bigint, liquidity: bigint): bigint {
  return divUp(liquidity * (upper - lower), 1n << Q96);
}

/** Returns the price after `amount` of token0 came in: it falls, and is rounded up, to give out less. */
export function priceAfterInput0(sqrtPriceX96: bigint, liquidity: bigint, amount: bigint): bigint {
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
export function priceAfterInput1(sqrtPriceX96: bigint, liquidity: bigint, amount: bigint): bigint {
  return sqrtPriceX96 + (amount << Q96) / liquidity;
}

/** Returns the price after `amount` of token0 went out: it rises, and is rounded up, to take in more. */
export function priceAfterOutput0(sqrtPriceX96: bigint, liquidity: bigint, amount: bigint): bigint {
  const numerator = liquidity << Q96;
  return divUp(numerator * sqrtPriceX96, numerator - amount * sqrtPriceX96);
}

/** Returns the price after `amount` of token1 went out: it falls, and is rounded down, to take in more. */
export function priceAfterOutput1(sqrtPriceX96: bigint, liquidity: bigint, amount: bigint): bigint {
  return sqrtPriceX96 - divUp(amount << Q96, liquidity);
}
