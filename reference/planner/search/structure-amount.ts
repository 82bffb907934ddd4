/** Significant bits of an amount that determine its split. */
const MAX_BITS = 16;

/**
 * Returns the amount whose best split also serves `amount`: the nearest amount at or below it with few significant
 * bits. All amounts up to the next such amount share one network, so that plans for nearly equal amounts are nearly
 * equal. A network loses towards the end of its range, never at the start, so a larger input never yields less. If an
 * amount differs from the split's amount by some fraction, the loss is the square of that fraction: below 1e-10 with 16
 * bits. Beyond `depth`, the input that roughly drains the pools, only the remaining liquidity can be lost, so fewer bits
 * suffice.
 * @example
 * structureAmount(100_000, 1e9) // 100000
 * structureAmount(1_000_001, 1e9) // 1000000
 */
export function structureAmount(amount: number, depth: number): number {
  const unit = unitAt(amount, depth);
  return Math.floor(amount / unit) * unit;
}

/** Returns the next larger structure amount. */
export function nextStructureAmount(amount: number, depth: number): number {
  return amount + unitAt(amount, depth);
}

function unitAt(amount: number, depth: number): number {
  const octave = Math.floor(Math.log2(amount));
  const beyond = Math.max(0, octave - Math.log2(depth));
  const bits = Math.floor(MAX_BITS - beyond / 2);
  return Math.max(1, 2 ** (octave - Math.max(0, bits)));
}
