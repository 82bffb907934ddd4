import { at } from '../domain/at.ts';
import { createPoint, DualFunction, type DualPoint } from './dual-function.ts';
import { add, type FlowProblem } from './flow-problem.ts';
import { solveSymmetric } from './solve-symmetric.ts';

/**
 * Dual prices at which the pools, trading independently, carry the whole input to the buy token.
 */
export type DualSolution = {
  /**
   * Natural logarithm of each node's dual price, relative to the problem's reference; 0 for the buy
   * token.
   */
  readonly logPrices: Float64Array;
  /** Upper bound on any plan's yield, in base units of the buy token. */
  readonly bound: number;
  /** Remaining imbalance, valued at the dual prices, relative to the bound. */
  readonly residual: number;
};

type DualOptions = {
  /** `logPrices` from the solution of a similar problem. Default: the reference prices. */
  readonly start?: Float64Array | undefined;
  /**
   * For each arc, the log rate below which the arc never trades, relative to the problem's
   * reference. Default: none.
   */
  readonly rateFloors?: Float64Array | undefined;
  /**
   * Returns whether the solver may stop at this bound, given the sell token's price. Default:
   * never.
   */
  readonly isLowEnough?: (bound: number, price: number) => boolean;
};

const MAX_ITERATIONS = 100;

/**
 * Maximum number of steps in a row without a gain. A single such step may do no more than reach the
 * rate at which a pool begins to trade.
 */
const MAX_STALLS = 3;

/** A node is balanced if its imbalance is below this fraction of the value of the input. */
const BALANCE_TOLERANCE = 1e-11;
/**
 * A node also counts as balanced if such a small relative change in its price would shift more of
 * its pools' trade than the imbalance.
 */
const PRICE_ROUNDING = 1e-15;

/** Smaller relative changes in the bound are rounding. */
const BOUND_ROUNDING = 1e-14;
/** A larger relative rise of the bound shows that float precision is exhausted. */
const MAX_BOUND_RISE = 1e-12;

/**
 * Minimizes the dual function for `input` base units of the sell token, by a semismooth Newton
 * method on the logarithms of the prices. Every pool trades until its marginal rate equals the
 * ratio of its tokens' prices. The prices move until each node's inflow equals its outflow.
 * @see https://arxiv.org/abs/2302.04938
 */
export function solveDual(
  problem: FlowProblem,
  input: number,
  { start = new Float64Array(problem.nodeCount), rateFloors, isLowEnough }: DualOptions = {},
): DualSolution {
  const dual = new DualFunction(problem, input, rateFloors);
  const step = new Float64Array(start.length);
  let point = createPoint(start);
  let next = createPoint(start);
  dual.restrictTo(start, start);
  dual.evaluate(point);
  let stalls = 0;
  for (let iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
    dual.assembleLaplacian();
    if (isBalanced(dual, point)) break;
    if (isLowEnough?.(point.bound, at(point.prices, problem.sell))) break;
    newtonStep(dual, point, step);
    searchLine(dual, point, step, next);
    const gained = point.bound - next.bound;
    if (gained <= BOUND_ROUNDING * point.bound && next.imbalance > point.imbalance / 2) stalls++;
    if (stalls > MAX_STALLS || gained < -MAX_BOUND_RISE * point.bound) break;
    [point, next] = [next, point];
  }
  const { logPrices, bound, imbalance } = point;
  return { logPrices, bound, residual: imbalance / bound };
}

function isBalanced(
  { problem: { sell }, input, laplacian }: DualFunction,
  { prices, gradient }: DualPoint,
): boolean {
  const size = gradient.length;
  const tolerance = BALANCE_TOLERANCE * input * at(prices, sell);
  return gradient.every(
    (excess, node) =>
      Math.abs(excess) <= tolerance + PRICE_ROUNDING * at(laplacian, node * size + node),
  );
}

/**
 * This fraction of each node's imbalance is added to the diagonal. It limits the step of nodes
 * whose arcs trade the same amount at any nearby rate.
 */
const DAMPING = 0.1;
/** This fraction of the bound is added to the diagonal, so that no pivot is 0. */
const MIN_DAMPING = 1e-16;

function newtonStep(
  { problem: { buy }, laplacian }: DualFunction,
  { gradient, bound }: DualPoint,
  step: Float64Array,
): void {
  const size = step.length;
  for (let node = 0; node < size; node++) {
    const damping = DAMPING * Math.abs(at(gradient, node)) + MIN_DAMPING * bound;
    add(laplacian, node * size + node, damping);
    step[node] = -at(gradient, node);
  }
  laplacian[buy * size + buy] = 1;
  solveSymmetric(laplacian, step);
}

const MAX_LOG_STEP = 2;

const MAX_LINE_EVALUATIONS = 30;

/** The line search ends when the slope has fallen to this fraction of its initial value. */
const MAX_RELATIVE_SLOPE = 0.5;

/**
 * Armijo's condition: a step must achieve at least this fraction of the gain that the initial slope
 * predicts.
 */
const ARMIJO_CONSTANT = 1e-4;
/** Two points on a line are equal if their bounds differ by less than this fraction. */
const LINE_ROUNDING = 1e-13;

const MIN_BRACKET_PART = 0.02;
/** Evaluations after which the bracket is halved, in case the slopes mislead. */
const EVALUATIONS_PER_HALVING = 3;

/**
 * Writes into `next` a point along `step` where the bound is lower and nearly flat. A pool that
 * begins to trade along the line bends the bound sharply. The next Newton step takes that pool into
 * account only if the point lies beyond the bend. If the step were only halved until the bound is
 * lower, plans would take 1.05 to 1.3 times as long.
 */
function searchLine(
  dual: DualFunction,
  point: DualPoint,
  step: Float64Array,
  next: DualPoint,
): void {
  const slope = slopeAlong(point, step);
  let length = Math.min(1, MAX_LOG_STEP / maxMagnitude(step));
  let low = 0;
  let high = length;
  let [slopeAtLow, slopeAtHigh] = [slope, slope];
  for (let attempt = 0; attempt < MAX_LINE_EVALUATIONS; attempt++) {
    for (let node = 0; node < step.length; node++) {
      next.logPrices[node] = at(point.logPrices, node) + length * at(step, node);
    }
    if (attempt === 0) dual.restrictTo(point.logPrices, next.logPrices);
    dual.evaluate(next);
    const gained = point.bound - next.bound;
    const isLower =
      gained >= -ARMIJO_CONSTANT * length * slope ||
      (gained >= -LINE_ROUNDING * point.bound && next.imbalance < point.imbalance);
    const reached = slopeAlong(next, step);
    if (isLower && Math.abs(reached) <= MAX_RELATIVE_SLOPE * -slope) return;
    // Illinois rule: halve the slope at an end that did not move, so that the other end moves too.
    if (reached > 0 || !isLower) {
      high = length;
      slopeAtHigh = Math.max(reached, -slope);
      if (attempt > 0) slopeAtLow /= 2;
    } else {
      if (length === high) return;
      low = length;
      slopeAtLow = reached;
      slopeAtHigh /= 2;
    }
    const crossing = slopeAtLow / (slopeAtLow - slopeAtHigh);
    const part =
      attempt % EVALUATIONS_PER_HALVING === EVALUATIONS_PER_HALVING - 1
        ? 0.5
        : Math.min(1 - MIN_BRACKET_PART, Math.max(MIN_BRACKET_PART, crossing));
    length = low + (high - low) * part;
  }
}

function slopeAlong({ gradient }: DualPoint, step: Float64Array): number {
  let slope = 0;
  for (let node = 0; node < step.length; node++) slope += at(gradient, node) * at(step, node);
  return slope;
}

function maxMagnitude(step: Float64Array): number {
  let largest = 0;
  for (let node = 0; node < step.length; node++) {
    largest = Math.max(largest, Math.abs(at(step, node)));
  }
  return largest;
}
