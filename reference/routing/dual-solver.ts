import { solvePositiveDefinite } from './cholesky.ts';
import { startValues } from './dual-start.ts';
import type { FlowProblem } from './flow-problem.ts';

/** Prices at which the pools, each trading for itself, carry the whole input to the buy token. */
export type DualSolution = {
  /** Value of each node in base units of the buy token. */
  readonly values: Float64Array;
  /** Natural logarithm of each value, counted from the problem's `bestLogValue`: to start from. */
  readonly logValues: Float64Array;
  /** What each hop takes in, in base units; tails left out. */
  readonly inputs: Float64Array;
  /** What reaches the buy token. */
  readonly output: number;
  /** Value that the solver failed to balance, as part of the output. */
  readonly residual: number;
};

/** Where to start, and hops that must stay unused. */
export type DualOptions = {
  /** `logValues` of a solution near by. Default: best prices of the unmoved market. */
  readonly start?: Float64Array;
  /** Indices of hops. Default: none. */
  readonly forbidden?: ReadonlySet<number>;
};

const MAX_ITERATIONS = 100;

/** Imbalance that is let be, as part of the output, and of what rounding makes of the stiffest pools. */
const TOLERANCE = 1e-11;
const ROUNDING = 1e-15;

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
  { start, forbidden = new Set() }: DualOptions = {},
): DualSolution {
  const size = problem.nodeCount;
  let state = evaluate(problem, start ?? startValues(problem, input), input, forbidden);
  const step = new Float64Array(size);
  for (let iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
    if (state.imbalance <= TOLERANCE * state.objective + ROUNDING * state.stiffness) break;
    newtonStep(state, size, step);
    let slope = 0;
    let largest = 0;
    for (let node = 0; node < size; node++) {
      slope += (state.gradient[node] ?? 0) * (step[node] ?? 0);
      largest = Math.max(largest, Math.abs(step[node] ?? 0));
    }
    let length = Math.min(1, 2 / largest);
    let next = state;
    for (let halving = 0; halving < 30; halving++, length /= 2) {
      const values = state.logValues.map((value, node) => value + length * (step[node] ?? 0));
      next = evaluate(problem, values, input, forbidden);
      const allowed = 1e-4 * length * slope + 1e-14 * state.objective;
      if (next.objective <= state.objective + allowed) break;
    }
    if (next.objective >= state.objective && next.imbalance >= state.imbalance) break;
    state = next;
  }
  const { values, logValues, inputs, output, imbalance, objective } = state;
  return { values, logValues, inputs, output, residual: imbalance / objective };
}

type State = {
  readonly values: Float64Array;
  readonly logValues: Float64Array;
  readonly inputs: Float64Array;
  readonly output: number;
  /** Upper bound of what any plan can yield. */
  readonly objective: number;
  /** Value of each node times what it holds too much. */
  readonly gradient: Float64Array;
  readonly imbalance: number;
  /** Sum of what each active arc's value changes by, for a change of a logarithm. */
  readonly stiffness: number;
  /** Weighted Laplacian of the active arcs, row by row. */
  readonly laplacian: Float64Array;
};

function evaluate(
  problem: FlowProblem,
  logValues: Float64Array,
  input: number,
  forbidden: ReadonlySet<number>,
): State {
  const { nodeCount: size, firstArc, hopIn, hopOut, logPrice, depthIn, depthOut, span } = problem;
  const values = logValues.map((value, node) =>
    Math.exp(value + (problem.bestLogValue[node] ?? 0)),
  );
  const inputs = new Float64Array(problem.hops.length);
  const gradient = new Float64Array(size);
  const laplacian = new Float64Array(size * size);
  let objective = input * (values[0] ?? 0);
  let output = 0;
  let stiffness = 0;
  gradient[0] = objective;
  for (let hop = 0; hop < inputs.length; hop++) {
    if (forbidden.has(hop)) continue;
    const tail = hopIn[hop] ?? 0;
    const head = hopOut[hop] ?? 0;
    const logRate = (logValues[tail] ?? 0) - (logValues[head] ?? 0);
    const valueOfIn = values[tail] ?? 0;
    const valueOfOut = values[head] ?? 0;
    const end = firstArc[hop + 1] ?? 0;
    for (let arc = firstArc[hop] ?? 0; arc < end; arc++) {
      const gap = (logPrice[arc] ?? 0) - logRate;
      if (!(gap > 0)) break;
      const isFull = gap / 2 >= (span[arc] ?? 0);
      const grown = Math.expm1(isFull ? (span[arc] ?? 0) : gap / 2);
      const amountIn = (depthIn[arc] ?? 0) * grown;
      const amountOut = ((depthOut[arc] ?? 0) * grown) / (1 + grown);
      objective += valueOfOut * amountOut - valueOfIn * amountIn;
      add(gradient, tail, -valueOfIn * amountIn);
      add(gradient, head, valueOfOut * amountOut);
      if (problem.isTail[arc] === 0) {
        add(inputs, hop, amountIn);
        if (head === 1) output += amountOut;
      }
      if (isFull) continue;
      const weight = (valueOfIn * (depthIn[arc] ?? 0) * (1 + grown)) / 2;
      stiffness += weight;
      add(laplacian, tail * size + tail, weight);
      add(laplacian, head * size + head, weight);
      add(laplacian, tail * size + head, -weight);
      add(laplacian, head * size + tail, -weight);
    }
  }
  gradient[1] = 0;
  const imbalance = gradient.reduce((sum, excess) => sum + Math.abs(excess), 0);
  return {
    values,
    logValues,
    inputs,
    output,
    objective,
    gradient,
    imbalance,
    stiffness,
    laplacian,
  };
}

function add(array: Float64Array, index: number, amount: number): void {
  array[index] = (array[index] ?? 0) + amount;
}

/** Part of each node's imbalance that keeps the step bounded where no arc is active. */
const DAMPING = 0.1;

function newtonStep({ gradient, laplacian, objective }: State, size: number, step: Float64Array) {
  for (let node = 0; node < size; node++) {
    const damping = DAMPING * Math.abs(gradient[node] ?? 0) + 1e-16 * objective;
    add(laplacian, node * size + node, damping);
    step[node] = -(gradient[node] ?? 0);
    // The buy token's value is 1 throughout.
    laplacian[size + node] = 0;
    laplacian[node * size + 1] = 0;
  }
  laplacian[size + 1] = 1;
  step[1] = 0;
  solvePositiveDefinite(laplacian, size, step);
}
