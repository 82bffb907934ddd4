import type { FlowProblem } from './flow-problem.ts';
import { logRateAfter } from './hop-trade.ts';
import type { Precedence } from './order.ts';

/** What is forbidden: to trade against an order of the nodes, and through some hops. */
export type Forbidden = { readonly precedence: Precedence; readonly closed: ReadonlySet<number> };

/** By how much more than `input` limits still hold. */
export const SPARE = 2 ** -15;

/** Returns the price below which each hop does not trade: infinite for what is forbidden. */
export function limitsOf(
  { hopIn, hopOut }: FlowProblem,
  { precedence: { size, comesFirst }, closed }: Forbidden,
): Float64Array {
  const limits = new Float64Array(hopIn.length).fill(Number.NEGATIVE_INFINITY);
  for (let hop = 0; hop < limits.length; hop++) {
    const isAgainst = comesFirst[(hopOut[hop] ?? 0) * size + (hopIn[hop] ?? 0)] === 1;
    if (isAgainst || closed.has(hop)) limits[hop] = Number.POSITIVE_INFINITY;
  }
  return limits;
}

/** How far hops may go, and what of each token there is at most: a natural logarithm of base units. */
export type Limits = { readonly limits: Float64Array; readonly most: Float64Array };

/**
 * Returns the limits of what is forbidden, raised where circles of trades pay to
 * the prices below which no plan without a circle trades a hop: it has no more to
 * sell than the whole input becomes along the best walk there that is not
 * forbidden, nor than `known` to be at most. Without this the arbitrage of a whole
 * market counts, be the trade ever so small.
 */
export function limitsWithin(
  problem: FlowProblem,
  forbidden: Forbidden,
  input: number,
  known?: Float64Array,
): Limits {
  const limits = limitsOf(problem, forbidden);
  const { nodeCount, sell, hopIn, hopOut, logStart, logRate } = problem;
  if (problem.isFair) {
    return { limits, most: new Float64Array(nodeCount).fill(Number.POSITIVE_INFINITY) };
  }
  const open = [...limits.keys()].filter((hop) => limits[hop] !== Number.POSITIVE_INFINITY);
  const most = new Float64Array(nodeCount).fill(Number.NEGATIVE_INFINITY);
  most[sell] = Math.log(input * (1 + SPARE));
  const walked = new Float64Array(nodeCount);
  for (let [round, hasGrown] = [1, true]; round < nodeCount && hasGrown; round++) {
    hasGrown = false;
    walked.set(most);
    for (const hop of open) {
      const head = hopOut[hop] ?? 0;
      const there = (walked[hopIn[hop] ?? 0] ?? 0) + (logStart[hop] ?? 0) + (logRate[hop] ?? 0);
      if (there <= (most[head] ?? 0)) continue;
      const gained = known ? Math.min(there, known[head] ?? 0) : there;
      if (gained <= (most[head] ?? 0)) continue;
      most[head] = gained;
      hasGrown = true;
    }
  }
  for (const hop of open) {
    limits[hop] = logRateAfter(problem, hop, Math.exp(most[hopIn[hop] ?? 0] ?? 0));
  }
  return { limits, most };
}
