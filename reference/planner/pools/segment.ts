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
