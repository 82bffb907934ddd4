/** Maximum number of significant bits in an amount that determines a split. */
const MAX_BITS = 16;

/**
 * Returns the amount whose best split also serves `amount`: the nearest lower or equal amount with
 * few significant bits. All amounts up to the next such amount share one network, so plans for
 * nearly equal amounts are nearly equal. A network loses output toward the end of its range but
 * never at the start, so a larger input never yields less. The relative loss is the square of the
 * relative difference between the amounts: below 1e-10 with 16 bits. Beyond `depth`, the input that
 * roughly drains the pools, the loss is limited to the remaining liquidity, so fewer bits suffice.
 * @example structureAmount(100_000, 1e9) // 100000 structureAmount(1_000_001, 1e9) // 1000000
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
