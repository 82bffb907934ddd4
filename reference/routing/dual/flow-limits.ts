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

/**
 * Returns these limits, raised where circles of trades pay to the prices below
 * which no plan without a circle trades a hop: it has no more to sell than the
 * whole input becomes along the best walk there that is not forbidden. Without this
 * the arbitrage of a whole market counts, be the trade ever so small.
 */
export function limitsWithin(
  problem: FlowProblem,
  forbidden: Forbidden,
  input: number,
): Float64Array {
  const limits = limitsOf(problem, forbidden);
  if (problem.isFair) return limits;
  const { nodeCount, sell, hopIn, hopOut, logStart, logRate } = problem;
  const open = [...limits.keys()].filter((hop) => limits[hop] !== Number.POSITIVE_INFINITY);
  const gains = new Float64Array(nodeCount).fill(Number.NEGATIVE_INFINITY);
  gains[sell] = Math.log(input * (1 + SPARE));
  for (let [round, hasGrown] = [1, true]; round < nodeCount && hasGrown; round++) {
    hasGrown = false;
    const before = gains.slice();
    for (const hop of open) {
      const logPrice = (logStart[hop] ?? 0) + (logRate[hop] ?? 0);
      const gained = (before[hopIn[hop] ?? 0] ?? 0) + logPrice;
      const head = hopOut[hop] ?? 0;
      if (gained <= (gains[head] ?? 0)) continue;
      gains[head] = gained;
      hasGrown = true;
    }
  }
  for (const hop of open) {
    limits[hop] = logRateAfter(problem, hop, Math.exp(gains[hopIn[hop] ?? 0] ?? 0));
  }
  return limits;
}
