import type { FlowProblem } from './flow-problem.ts';

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
    const arc = problem.firstArc[hop] ?? 0;
    const grown = amount / (problem.depthIn[arc] ?? 0);
    amount = ((problem.depthOut[arc] ?? 0) * grown) / (1 + grown);
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
  firstArc,
  logPrice,
}: FlowProblem): number[] | undefined {
  const path: number[] = [];
  for (let node = 0; node !== 1; ) {
    if (path.length === nodeCount) return undefined;
    let best = -1;
    for (let hop = 0; hop < hops.length; hop++) {
      if (hopIn[hop] !== node) continue;
      const price = logPrice[firstArc[hop] ?? 0] ?? 0;
      if (best < 0 || price > (logPrice[firstArc[best] ?? 0] ?? 0)) best = hop;
    }
    if (best < 0) return undefined;
    path.push(best);
    node = hopOut[best] ?? 1;
  }
  return path;
}

/** The sell token's value at which its pools take the whole input, all other values unmoved. */
function waterfillSell(problem: FlowProblem, input: number): number {
  const { firstArc, hopIn, logPrice, logEnd, depthIn, inputBefore } = problem;
  const takenAt = (value: number): number => {
    let taken = 0;
    for (let hop = 0; hop < problem.hops.length; hop++) {
      if (hopIn[hop] !== 0) continue;
      let arc = firstArc[hop] ?? 0;
      const tail = (firstArc[hop + 1] ?? 0) - 1;
      while (arc < tail && (logEnd[arc] ?? 0) >= value) arc++;
      const gap = Math.max(0, (logPrice[arc] ?? 0) - value);
      taken += (inputBefore[arc] ?? 0) + (depthIn[arc] ?? 0) * Math.expm1(gap / 2);
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
