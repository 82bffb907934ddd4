import { add, type FlowProblem } from './flow-problem.ts';
import { emptyTrade, tradeAt } from './hop-trade.ts';

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

/** Returns what each hop does when `input` is sold at `logValues` within the limits of the hops. */
export function hopFlowsAt(
  problem: FlowProblem,
  input: number,
  logValues: Float64Array,
  limits?: Float64Array,
): HopFlows {
  const { nodeCount, sell, hopIn, hopOut, bestLogValue } = problem;
  const inputs = new Float64Array(hopIn.length);
  const shares = new Float64Array(hopIn.length);
  const profits = new Float64Array(hopIn.length);
  const isFixed = new Uint8Array(hopIn.length);
  const spills = new Float64Array(nodeCount);
  const outflows = new Float64Array(nodeCount);
  const values = logValues.map((value, node) => Math.exp(value + (bestLogValue[node] ?? 0)));
  const whole = input * (values[sell] ?? 0);
  const trade = emptyTrade();
  for (let hop = 0; hop < hopIn.length; hop++) {
    const tail = hopIn[hop] ?? 0;
    const head = hopOut[hop] ?? 0;
    const logRate = (logValues[tail] ?? 0) - (logValues[head] ?? 0);
    const stopped = Math.max(limits?.[hop] ?? logRate, logRate);
    if (!tradeAt(problem, hop, stopped, trade)) continue;
    let { amountIn, amountOut } = trade;
    if (trade.isTail) {
      add(spills, tail, trade.segmentIn);
      amountIn -= trade.segmentIn;
      amountOut -= trade.segmentOut;
    }
    const spent = (values[tail] ?? 0) * amountIn;
    inputs[hop] = amountIn;
    add(outflows, tail, amountIn);
    shares[hop] = spent / whole;
    profits[hop] = (values[head] ?? 0) * amountOut - spent;
    isFixed[hop] = trade.grown > 0 && !trade.isTail && stopped === logRate ? 0 : 1;
  }
  const spilled = spills.map((lost, node) => lost && lost / (lost + (outflows[node] ?? 0)));
  return { inputs, shares, profits, isFixed, spilled };
}
