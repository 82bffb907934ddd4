import { eliminate } from '../graph/elimination.ts';
import { searchLine } from './dual-line.ts';
import { startValues } from './dual-start.ts';
import {
  createState,
  type Dual,
  type DualState,
  dualOf,
  evaluate,
  lookBetween,
  weigh,
} from './dual-state.ts';
import { add, type FlowProblem } from './flow-problem.ts';

/** Prices at which the pools, each trading for itself, carry the whole input to the buy token. */
export type DualSolution = {
  /** Natural logarithm of each node's value, counted from the problem's `bestLogValue`; the buy token's is 0. */
  readonly logValues: Float64Array;
  /** Upper bound of what any plan can yield, in base units of the buy token. */
  readonly bound: number;
  /** Value that the solver failed to balance, as part of the bound. */
  readonly residual: number;
};

/** Where to start, how far hops may go, and when the bound is low enough. */
export type DualOptions = {
  /** `logValues` of a solution near by. Default: best prices of the unmoved market. */
  readonly start?: Float64Array;
  /** Price, counted from the problem's `logRate`, below which each hop never trades. Default: none. */
  readonly limits?: Float64Array | undefined;
  /** Tells of a bound, and of the sell token's price there, whether it is low enough. Default: none is. */
  readonly isEnough?: (bound: number, price: number) => boolean;
};

const MAX_ITERATIONS = 100;

/** How many steps may pass without a gain: some only lead from beside a pool's edge to where the pool counts. */
const MAX_STALLS = 3;

/** Imbalance of a node that is let be, as part of the input's value, and of what its pools would make of a rounded value. */
const TOLERANCE = 1e-11;
const ROUNDING = 1e-15;

/** Changes of the objective below this part of it are rounding. */
const NOISE = 1e-14;

/**
 * Returns the optimal flow of `input` base units of the sell token, by a
 * semismooth Newton method on the dual: every token has a value, every pool
 * trades until its marginal price is the ratio of two values, and the values are
 * adjusted until what flows into each token flows out.
 *
 * @see https://arxiv.org/abs/2302.04938
 */
export function solveDual(
  problem: FlowProblem,
  input: number,
  { start = startValues(problem, input), limits, isEnough }: DualOptions = {},
): DualSolution {
  const dual = dualOf(problem, input, limits);
  const step = new Float64Array(start.length);
  let state = createState(start);
  let next = createState(start);
  lookBetween(dual, start, start);
  evaluate(dual, state);
  let stalls = 0;
  for (let iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
    weigh(dual);
    if (isBalanced(dual, state)) break;
    if (isEnough?.(state.objective, state.values[problem.sell] ?? 0)) break;

    newtonStep(dual, state, step);
    searchLine(dual, state, step, next);
    const gained = state.objective - next.objective;
    if (gained <= NOISE * state.objective && next.imbalance > state.imbalance / 2) stalls++;
    if (stalls > MAX_STALLS || gained < -100 * NOISE * state.objective) break;
    [state, next] = [next, state];
  }
  const { logValues, objective, imbalance } = state;
  return { logValues, bound: objective, residual: imbalance / objective };
}

/** Tells whether each node passes on what it gets, as far as floats go. */
function isBalanced(
  { problem: { sell }, input, laplacian }: Dual,
  { values, gradient }: DualState,
): boolean {
  const size = gradient.length;
  const least = TOLERANCE * input * (values[sell] ?? 0);
  return gradient.every(
    (excess, node) => Math.abs(excess) <= least + ROUNDING * (laplacian[node * size + node] ?? 0),
  );
}

/** Part of each node's imbalance that keeps the step bounded where no price moves. */
const DAMPING = 0.1;

/** Leaves in `step` by what the logarithms of the values should change; spends the Laplacian. */
function newtonStep(
  { problem: { buy, elimination }, laplacian }: Dual,
  { gradient, objective }: DualState,
  step: Float64Array,
): void {
  const size = step.length;
  for (let node = 0; node < size; node++) {
    const damping = DAMPING * Math.abs(gradient[node] ?? 0) + 1e-16 * objective;
    add(laplacian, node * size + node, damping);
    step[node] = -(gradient[node] ?? 0);
  }
  laplacian[buy * size + buy] = 1;
  eliminate(elimination, laplacian, step);
}
