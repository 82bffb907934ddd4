import { at } from '../domain/at.ts';
import { type ArcFlows, arcEdges, throughArcs, type UsedFlow } from '../dual/arc-flows.ts';
import type { AcyclicFlow } from '../dual/branch-and-bound.ts';
import type { FlowProblem } from '../dual/flow-problem.ts';
import type { Arc } from '../graph/arc.ts';
import { type Link, MIN_SHARE, type Network } from '../graph/network.ts';
import { inTopologicalOrder } from '../graph/reach.ts';
import type { Split } from './search.ts';

/** Returns the split of a flow. The split has no network if the pools take less than the input. */
export function splitOfFlow(problem: FlowProblem, found: AcyclicFlow): Split {
  const { flows, output, boundLines } = found;
  const split = { output, isNearOptimal: true, boundLines: () => boundLines };
  const used = throughArcs(problem, found.used);
  if (used.length === 0 || exceedsLiquidity(problem, flows, used)) return split;
  return { ...split, network: networkOfFlow(problem, { flows, used }) };
}

/**
 * Maximum fraction of a node's outflow that may exceed the liquidity, because of float rounding.
 */
const MAX_OVERFLOW = 1e-6;

/** Returns whether part of the trade exceeds the liquidity of the used arcs. */
export function exceedsLiquidity(
  { tails }: FlowProblem,
  { shares, overflow }: ArcFlows,
  used: readonly number[],
): boolean {
  return used.some(
    (arc) => at(shares, arc) >= MIN_SHARE && at(overflow, at(tails, arc)) > MAX_OVERFLOW,
  );
}

/** A pool within this relative distance of its capacity counts as full. */
const FULL_TOLERANCE = 1e-12;
/**
 * A full pool is offered its float capacity plus a relative and an absolute margin, because each of
 * its ranges rounds up.
 */
const FULL_RELATIVE_MARGIN = 1e-6;
const FULL_UNITS_MARGIN = 1024;

/**
 * Returns the network of a flow whose used arcs all lie on paths from the sell token to the buy
 * token.
 */
export function networkOfFlow(
  problem: FlowProblem,
  { flows: { inputs, isFixed }, used }: UsedFlow,
): Network {
  const { arcs, tails, heads } = problem;
  const order = inTopologicalOrder(arcEdges(problem, used), problem.sell);
  const place = new Map(order.map((node, index) => [node, index]));
  const byInput = used.toSorted((a, b) => at(inputs, b) - at(inputs, a));
  const nodes = order.map((node): Link[] => {
    const leaving = byInput.filter((arc) => tails[arc] === node);
    const total = leaving.reduce((sum, arc) => sum + at(inputs, arc), 0);
    return leaving.map((index): Link => {
      const arc = arcs[index] as Arc;
      const to = place.get(heads[index] ?? -1) ?? order.length - 1;
      const input = at(inputs, index);
      // If the node's inflow is so tiny that floats lose it, all arcs get the same weight.
      const weight = total === 0 ? 1n : BigInt(Math.max(1, Math.round((input / total) * 2 ** 48)));
      if (isFixed[index] === 0) return { arc, to, weight };
      const isFull = input >= arc.capacityIn * (1 - FULL_TOLERANCE);
      const margin = isFull ? FULL_RELATIVE_MARGIN * input + FULL_UNITS_MARGIN : 0;
      return { arc, to, weight, fixed: BigInt(Math.round(input + margin)) };
    });
  });
  return { nodes };
}
