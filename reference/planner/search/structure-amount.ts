/** How fine amounts are told apart, in significant bits. */
const MAX_BITS = 16;

/**
 * Returns the amount whose best split serves `amount` too: the next at or below
 * it of few significant bits. Amounts between two such share one network, so that
 * plans for nearly equal amounts differ by nearly nothing; and a network loses
 * towards the end of its stretch, never at the start, so that more in brings no
 * less out.
 *
 * A split that is off by a part loses that part's square: below 1e-10 with 16
 * bits. Far beyond `depth`, the input that about drains the pools, only what is
 * not yet drained can be lost, and there are as many fewer bits.
 *
 * @example
 * structureAmount(100_000, 1e9) // 100000
 * structureAmount(1_000_001, 1e9) // 1000000
 */
export function structureAmount(amount: number, depth: number): number {
  const unit = unitAt(amount, depth);
  return Math.floor(amount / unit) * unit;
}

/** Returns the least such amount above `amount`, which is one. */
export function nextStructureAmount(amount: number, depth: number): number {
  return amount + unitAt(amount, depth);
}

function unitAt(amount: number, depth: number): number {
  const octave = Math.floor(Math.log2(amount));
  const beyond = Math.max(0, octave - Math.log2(depth));
  const bits = Math.floor(MAX_BITS - beyond / 2);
  return Math.max(1, 2 ** (octave - Math.max(0, bits)));
}
