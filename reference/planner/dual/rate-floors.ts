import { at } from '../domain/at.ts';
import { logRateAfter } from './arc-trade.ts';
import type { FlowProblem } from './flow-problem.ts';
import type { Precedence } from './precedence.ts';

/**
 * A set of acyclic flows: those whose order of nodes extends the precedence and that use no closed
 * arc.
 */
export type Subproblem = { readonly precedence: Precedence; readonly closed: ReadonlySet<number> };

/** Rate floors remain valid if the input rises by at most this fraction. */
export const INPUT_MARGIN = 2 ** -15;

/**
 * Returns for each arc the log rate below which it never trades; Infinity if the subproblem
 * excludes the arc.
 */
export function rateFloorsOf(
  { tails, heads }: FlowProblem,
  { precedence: { size, comesFirst }, closed }: Subproblem,
): Float64Array {
  const floors = new Float64Array(tails.length).fill(Number.NEGATIVE_INFINITY);
  for (let arc = 0; arc < floors.length; arc++) {
    const isAgainst = comesFirst[at(heads, arc) * size + at(tails, arc)] === 1;
    if (isAgainst || closed.has(arc)) floors[arc] = Number.POSITIVE_INFINITY;
  }
  return floors;
}

/**
 * Rate floor of each arc, and maximum throughput of each node as a natural logarithm of base units.
 */
export type Limits = { readonly rateFloors: Float64Array; readonly maxLogFlow: Float64Array };

/**
 * Returns the limits of a subproblem. If a cycle is profitable, raises each rate floor to a rate
 * below which no acyclic plan trades: an arc sells at most the whole input, converted along the
 * best walk to the arc's start, and at most the `known` maximum. Without these floors, the bound on
 * a small trade would include the arbitrage gains of the whole market.
 */
export function limitsWithin(
  problem: FlowProblem,
  subproblem: Subproblem,
  input: number,
  known?: Float64Array,
): Limits {
  const rateFloors = rateFloorsOf(problem, subproblem);
  const { nodeCount, sell, tails, heads, startLogRate, referenceLogRate } = problem;
  if (problem.isArbitrageFree) {
    return { rateFloors, maxLogFlow: new Float64Array(nodeCount).fill(Number.POSITIVE_INFINITY) };
  }
  const open = [...rateFloors.keys()].filter((arc) => rateFloors[arc] !== Number.POSITIVE_INFINITY);
  const maxLogFlow = new Float64Array(nodeCount).fill(Number.NEGATIVE_INFINITY);
  maxLogFlow[sell] = Math.log(input * (1 + INPUT_MARGIN));
  const before = new Float64Array(nodeCount);
  for (let [round, hasGrown] = [1, true]; round < nodeCount && hasGrown; round++) {
    hasGrown = false;
    before.set(maxLogFlow);
    for (const arc of open) {
      const head = at(heads, arc);
      const arriving =
        at(before, at(tails, arc)) + at(startLogRate, arc) + at(referenceLogRate, arc);
      if (arriving <= at(maxLogFlow, head)) continue;
      const capped = known ? Math.min(arriving, at(known, head)) : arriving;
      if (capped <= at(maxLogFlow, head)) continue;
      maxLogFlow[head] = capped;
      hasGrown = true;
    }
  }
  for (const arc of open) {
    rateFloors[arc] = logRateAfter(problem, arc, Math.exp(at(maxLogFlow, at(tails, arc))));
  }
  return { rateFloors, maxLogFlow };
}
