import type { FlowProblem } from './flow-problem.ts';
import { emptyTrade, tradeAt } from './hop-trade.ts';

/** Up to this fall of the best path's price, in logarithms, that path alone is where to start. */
const SMALL_FALL = 0.05;

/**
 * Returns values to start from, as logarithms above the problem's
 * `bestLogValue`: those at which the best path takes the whole input, or, where
 * that would drain it, those at which the sell token's own pools take it.
 */
export function startValues(problem: FlowProblem, input: number): Float64Array {
  const values = new Float64Array(problem.nodeCount);
  const path = bestPath(problem);
  let amount = input;
  const falls = path?.map((hop) => {
    const segment = problem.firstSegment[hop] ?? 0;
    const grown = amount / (problem.depthIn[segment] ?? 0);
    amount = ((problem.depthOut[segment] ?? 0) * grown) / (1 + grown);
    return 2 * Math.log1p(grown);
  });
  let left = falls?.reduce((sum, fall) => sum + fall, 0) ?? Number.POSITIVE_INFINITY;
  if (path === undefined || falls === undefined || left > SMALL_FALL) {
    values[0] = waterfillSell(problem, input);
    return values;
  }
  for (const [index, hop] of path.entries()) {
    values[problem.hopIn[hop] ?? 0] = -left;
    left -= falls[index] ?? 0;
  }
  return values;
}

/** Hops along which least is lost at the best values; none where arbitrage leads them round in a circle. */
function bestPath({
  hops,
  nodeCount,
  hopIn,
  hopOut,
  firstSegment,
  logPrice,
}: FlowProblem): number[] | undefined {
  const path: number[] = [];
  for (let node = 0; node !== 1; ) {
    if (path.length === nodeCount) return undefined;
    let best = -1;
    for (let hop = 0; hop < hops.length; hop++) {
      if (hopIn[hop] !== node) continue;
      const price = logPrice[firstSegment[hop] ?? 0] ?? 0;
      if (best < 0 || price > (logPrice[firstSegment[best] ?? 0] ?? 0)) best = hop;
    }
    if (best < 0) return undefined;
    path.push(best);
    node = hopOut[best] ?? 1;
  }
  return path;
}

/** The sell token's value at which its pools take the whole input, all other values unmoved. */
function waterfillSell(problem: FlowProblem, input: number): number {
  const trade = emptyTrade();
  const takenAt = (value: number): number => {
    let taken = 0;
    for (const [hop, node] of problem.hopIn.entries()) {
      if (node === 0 && tradeAt(problem, hop, value, trade)) taken += trade.amountIn;
    }
    return taken;
  };
  let high = 0;
  let low = -1;
  while (takenAt(low) < input) low -= high - low;
  for (let halving = 0; halving < 12; halving++) {
    const middle = (low + high) / 2;
    if (takenAt(middle) < input) high = middle;
    else low = middle;
  }
  return low;
}
