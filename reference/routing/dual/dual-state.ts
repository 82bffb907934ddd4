import { add, type FlowProblem } from './flow-problem.ts';
import { emptyTrade, tradeAt } from './hop-trade.ts';

/** The dual at some values of the tokens. */
export type DualState = {
  readonly logValues: Float64Array;
  /** Value of each node in base units of the buy token. */
  readonly values: Float64Array;
  /** Value of each node times what it holds too much. */
  readonly gradient: Float64Array;
  /** Weighted Laplacian of the hops whose price moves: its lower half, row by row. */
  readonly laplacian: Float64Array;
  /** The dual's value: upper bound of what any plan can yield. */
  objective: number;
  /** Sum of what all nodes hold too much or too little, at their values. */
  imbalance: number;
};

/** Returns a state at `logValues`, not yet worked out. */
export function createState(logValues: Float64Array): DualState {
  const size = logValues.length;
  return {
    logValues: logValues.slice(),
    values: new Float64Array(size),
    gradient: new Float64Array(size),
    laplacian: new Float64Array(size * size),
    objective: 0,
    imbalance: 0,
  };
}

/** Works out all of `state` from its `logValues`, for `input` sold within the limits of the hops. */
export function evaluate(
  problem: FlowProblem,
  input: number,
  limits: Float64Array | undefined,
  state: DualState,
): void {
  const { nodeCount: size, sell, buy, bestLogValue, hopIn, hopOut, logStart } = problem;
  const { logValues, values, gradient, laplacian } = state;
  for (let node = 0; node < size; node++) {
    values[node] = Math.exp((logValues[node] ?? 0) + (bestLogValue[node] ?? 0));
  }
  gradient.fill(0);
  laplacian.fill(0);
  const trade = emptyTrade();
  let objective = input * (values[sell] ?? 0);
  gradient[sell] = objective;
  for (let hop = 0; hop < hopIn.length; hop++) {
    const tail = hopIn[hop] ?? 0;
    const head = hopOut[hop] ?? 0;
    const logRate = (logValues[tail] ?? 0) - (logValues[head] ?? 0);
    const least = limits?.[hop] ?? logRate;
    const stopped = Math.max(least, logRate);
    if (!((logStart[hop] ?? 0) > stopped)) continue;
    tradeAt(problem, hop, stopped, trade);
    const { grown, amountIn, amountOut } = trade;
    const valueOfIn = values[tail] ?? 0;
    const valueOfOut = values[head] ?? 0;
    if (grown > 0 && stopped === logRate) {
      const weight = (valueOfIn * trade.depthIn * (1 + grown)) / 2;
      add(laplacian, tail * size + tail, weight);
      add(laplacian, head * size + head, weight);
      // The buy token's value is 1 throughout.
      if (head !== buy) add(laplacian, Math.max(tail, head) * size + Math.min(tail, head), -weight);
    }
    objective += valueOfOut * amountOut - valueOfIn * amountIn;
    add(gradient, tail, -valueOfIn * amountIn);
    add(gradient, head, valueOfOut * amountOut);
  }
  gradient[buy] = 0;
  let imbalance = 0;
  for (const excess of gradient) imbalance += Math.abs(excess);
  state.objective = objective;
  state.imbalance = imbalance;
}
