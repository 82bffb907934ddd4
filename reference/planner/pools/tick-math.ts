/** The lowest tick that a price can have. */
export const MIN_TICK = -887_272;

/** The highest tick at which liquidity can end. */
export const MAX_TICK = 887_272;

/** `sqrtRatioAtTick(MIN_TICK)`. */
export const MIN_SQRT_RATIO = 4295128739n;

/** `sqrtRatioAtTick(MAX_TICK)`. All prices are below this ratio. */
export const MAX_SQRT_RATIO = 1461446703485210103287273052203988822378723970342n;

/** `2^128 / sqrt(1.0001)^(2^i)` for each bit i of a tick. */
const RATIO_OF_BIT = [
  0xfffcb933bd6fad37aa2d162d1a594001n,
  0xfff97272373d413259a46990580e213an,
  0xfff2e50f5f656932ef12357cf3c7fdccn,
  0xffe5caca7e10e4e61c3624eaa0941cd0n,
  0xffcb9843d60f6159c9db58835c926644n,
  0xff973b41fa98c081472e6896dfb254c0n,
  0xff2ea16466c96a3843ec78b326b52861n,
  0xfe5dee046a99a2a811c461f1969c3053n,
  0xfcbe86c7900a88aedcffc83b479aa3a4n,
  0xf987a7253ac413176f2b074cf7815e54n,
  0xf3392b0822b70005940c7a398e4b70f3n,
  0xe7159475a2c29b7443b29c7fa6e889d9n,
  0xd097f3bdfd2022b8845ad8f792aa5825n,
  0xa9f746462d870fdf8a65dc1f90e061e5n,
  0x70d869a156d2a1b890bb3df62baf32f7n,
  0x31be135f97d08fd981231505542fcfa6n,
  0x9aa508b5b7a84e1c677de54f3e99bc9n,
  0x5d6af8dedb81196699c329225ee604n,
  0x2216e584f5fa1ea926041bedfe98n,
  0x48a170391f7dc42444e8fa2n,
];

const MAX_UINT256 = (1n << 256n) - 1n;
const LOW_32_BITS = (1n << 32n) - 1n;

/**
 * Returns `sqrt(1.0001)^tick` in Q64.96, rounded up, with the same bits as the contract's result.
 * @throws {RangeError} if `tick` lies outside [`MIN_TICK`, `MAX_TICK`]
 * @example
 * sqrtRatioAtTick(0) // 79228162514264337593543950336n, which is 2^96
 * @see https://github.com/Uniswap/v3-core/blob/main/contracts/libraries/TickMath.sol
 */
export function sqrtRatioAtTick(tick: number): bigint {
  if (!(tick >= MIN_TICK && tick <= MAX_TICK)) throw new RangeError(`no price at tick ${tick}`);
  let ratio = 1n << 128n;
  let bits = Math.abs(tick);
  for (const factor of RATIO_OF_BIT) {
    if (bits === 0) break;
    if (bits & 1) ratio = (ratio * factor) >> 128n;
    bits >>= 1;
  }
  if (tick > 0) ratio = MAX_UINT256 / ratio;
  return (ratio >> 32n) + ((ratio & LOW_32_BITS) === 0n ? 0n : 1n);
}

/**
 * Returns the greatest tick whose ratio is at most `sqrtPriceX96`. The price must lie in
 * [`MIN_SQRT_RATIO`, `MAX_SQRT_RATIO`).
 * @example
 * tickAtSqrtRatio(2n ** 96n) // 0
 */
export function tickAtSqrtRatio(sqrtPriceX96: bigint): number {
  if (sqrtPriceX96 < MIN_SQRT_RATIO || sqrtPriceX96 >= MAX_SQRT_RATIO) {
    throw new RangeError(`no tick at sqrtPriceX96 ${sqrtPriceX96}`);
  }
  const estimate = (2 * Math.log(Number(sqrtPriceX96) / 2 ** 96)) / Math.log(1.0001);
  const floor = Math.floor(estimate);
  // The error of the estimate is below 1e-5, so exact ratios matter only near a whole tick.
  if (estimate - floor > 1e-3 && estimate - floor < 1 - 1e-3) return floor;
  let tick = Math.max(MIN_TICK, Math.min(MAX_TICK - 1, floor));
  while (sqrtRatioAtTick(tick) > sqrtPriceX96) tick--;
  while (sqrtRatioAtTick(tick + 1) <= sqrtPriceX96) tick++;
  return tick;
}
