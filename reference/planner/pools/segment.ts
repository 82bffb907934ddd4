/**
 * Part of one direction of a pool along which `x * y = k` holds. As `u` rises from 0 to `span`, the
 * segment takes `depthIn * expm1(u)` and gives `-depthOut * expm1(-u)`, at a marginal rate of
 * `exp(logRate - 2 * u)` after the fee. Amounts are floats in base units, for search only.
 * @see https://arxiv.org/abs/2302.04938
 */
export type Segment = {
  readonly logRate: number;
  readonly depthIn: number;
  readonly depthOut: number;
  readonly span: number;
};

/** Returns the total input of the segments, in base units. */
export function capacityIn(segments: readonly Segment[]): number {
  return segments.reduce((sum, { depthIn, span }) => sum + depthIn * Math.expm1(span), 0);
}

/** Returns the total output of the segments, in base units. */
export function capacityOut(segments: readonly Segment[]): number {
  return segments.reduce((sum, { depthOut, span }) => sum - depthOut * Math.expm1(-span), 0);
}
