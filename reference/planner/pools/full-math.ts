/** One as a number of pips (millionths). */
export const ONE_IN_PIPS = 1_000_000n;

/**
 * Returns `numerator / denominator` rounded up. Neither is negative.
 * @example
 * divUp(7n, 2n) // 4n
 */
export function divUp(numerator: bigint, denominator: bigint): bigint {
  return numerator === 0n ? 0n : (numerator - 1n) / denominator + 1n;
}
