/**
 * An upper bound on any plan's yield as a linear function of its input: `profit`, the pools' gain
 * at given dual prices, plus `price` per base unit sold. The bound holds for inputs up to
 * `maxInput`.
 */
export type BoundLine = {
  readonly price: number;
  readonly profit: number;
  readonly maxInput: number;
};

/**
 * Returns the upper bound on any plan's output for an input. Returns Infinity if there are no
 * lines.
 */
export function upperBoundAt(lines: readonly BoundLine[], input: number): number {
  if (lines.length === 0) return Number.POSITIVE_INFINITY;
  const bounds = lines.map(({ price, profit, maxInput }) =>
    input <= maxInput ? profit + price * input : Number.POSITIVE_INFINITY,
  );
  return Math.max(...bounds);
}

/** Returns the lower bound on any plan's input for an output. Returns 0 if there are no lines. */
export function lowerBoundFor(lines: readonly BoundLine[], output: number): number {
  if (lines.length === 0) return 0;
  const bounds = lines.map(({ price, profit, maxInput }) =>
    Math.min(maxInput, (output - profit) / price),
  );
  return Math.max(0, Math.min(...bounds));
}
