import { keptWith } from '../domain/kept-with.ts';
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
  const path = bestPathOf(problem);
  let amount = input;
  const falls = path?.map((hop) => {
    const { depthIn, depthOut } = problem.ladders[hop] ?? {};
    // A flat price hardly falls until there is nothing left: that of an order.
    if (amount > (problem.hops[hop]?.capacityIn ?? 0)) return Number.POSITIVE_INFINITY;
    const grown = amount / (depthIn?.[0] ?? 0);
    amount = ((depthOut?.[0] ?? 0) * grown) / (1 + grown);
    return 2 * Math.log1p(grown);
  });
  let left = falls?.reduce((sum, fall) => sum + fall, 0) ?? Number.POSITIVE_INFINITY;
  if (path === undefined || falls === undefined || left > SMALL_FALL) {
    values[problem.sell] = waterfillSell(problem, input);
    return values;
  }
  for (const [index, hop] of path.entries()) {
    values[problem.hopIn[hop] ?? 0] = -left;
    left -= falls[index] ?? 0;
  }
  return values;
}

/** Returns the hops along which least is lost at the best values; none where arbitrage leads them round in a circle. */
export const bestPathOf = keptWith((problem: FlowProblem): readonly number[] | undefined => {
  const { nodeCount, sell, buy, hopIn, hopOut, logStart } = problem;
  const best = new Int32Array(nodeCount).fill(-1);
  for (const [hop, node] of hopIn.entries()) {
    const known = best[node] ?? -1;
    if (known < 0 || (logStart[hop] ?? 0) > (logStart[known] ?? 0)) best[node] = hop;
  }
  const path: number[] = [];
  for (let node = sell; node !== buy; ) {
    const hop = best[node] ?? -1;
    if (hop < 0 || path.length === nodeCount) return undefined;
    path.push(hop);
    node = hopOut[hop] ?? buy;
  }
  return path;
});

/** The sell token's value at which its pools take the whole input, all other values unmoved. */
function waterfillSell(problem: FlowProblem, input: number): number {
  const trade = emptyTrade();
  const takenAt = (value: number): number => {
    let taken = 0;
    for (const hop of problem.fromSell) {
      if (tradeAt(problem, hop, value, trade)) taken += trade.amountIn;
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
