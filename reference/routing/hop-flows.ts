import type { FlowProblem } from './flow-problem.ts';

/** What each hop does at some values of the tokens; floats, in base units. */
export type HopFlows = {
  readonly inputs: Float64Array;
  /** What goes in, as part of the sell token's input, at the tokens' values. */
  readonly shares: Float64Array;
  /** By how much what comes out is worth more than what goes in, in base units of the buy token. */
  readonly profits: Float64Array;
  /** 1 where a little other values would change nothing: the price stands between two ranges, or the pool is full. */
  readonly isFixed: Uint8Array;
  /** Of each token, the part of what flows out of it that goes where there is no liquidity. */
  readonly spilled: Float64Array;
};

/** Returns what each hop does when `input` is sold at `logValues`; forbidden hops do nothing. */
export function hopFlowsAt(
  { hops, nodeCount, hopIn, hopOut, firstArc, bestLogValue, ...arcs }: FlowProblem,
  input: number,
  logValues: Float64Array,
  forbidden: ReadonlySet<number>,
): HopFlows {
  const { logPrice, logEnd, depthIn, depthOut, inputBefore, outputBefore } = arcs;
  const inputs = new Float64Array(hops.length);
  const shares = new Float64Array(hops.length);
  const profits = new Float64Array(hops.length);
  const isFixed = new Uint8Array(hops.length);
  const tailInputs = new Float64Array(nodeCount);
  const outflows = new Float64Array(nodeCount);
  const values = logValues.map((value, node) => Math.exp(value + (bestLogValue[node] ?? 0)));
  const whole = input * (values[0] ?? 0);
  for (let hop = 0; hop < hops.length; hop++) {
    const tail = hopIn[hop] ?? 0;
    const head = hopOut[hop] ?? 0;
    const logRate = (logValues[tail] ?? 0) - (logValues[head] ?? 0);
    let arc = firstArc[hop] ?? 0;
    if (!((logPrice[arc] ?? 0) > logRate) || forbidden.has(hop)) continue;
    const last = (firstArc[hop + 1] ?? 0) - 1;
    while (arc < last && (logEnd[arc] ?? 0) >= logRate) arc++;
    let amountIn = inputBefore[arc] ?? 0;
    let amountOut = outputBefore[arc] ?? 0;
    const gap = (logPrice[arc] ?? 0) - logRate;
    const grown = gap > 0 ? Math.expm1(gap / 2) : 0;
    if (arc === last) {
      tailInputs[tail] = (tailInputs[tail] ?? 0) + (depthIn[arc] ?? 0) * grown;
    } else {
      amountIn += (depthIn[arc] ?? 0) * grown;
      amountOut += ((depthOut[arc] ?? 0) * grown) / (1 + grown);
    }
    const spent = (values[tail] ?? 0) * amountIn;
    inputs[hop] = amountIn;
    outflows[tail] = (outflows[tail] ?? 0) + amountIn;
    shares[hop] = spent / whole;
    profits[hop] = (values[head] ?? 0) * amountOut - spent;
    isFixed[hop] = gap > 0 && arc < last ? 0 : 1;
  }
  const spilled = tailInputs.map((lost, node) => lost && lost / (lost + (outflows[node] ?? 0)));
  return { inputs, shares, profits, isFixed, spilled };
}
