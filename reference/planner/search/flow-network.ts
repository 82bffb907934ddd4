import type { AcyclicFlow } from '../dual/acyclic-flow.ts';
import { nodesInOrder, throughHops } from '../dual/flow-order.ts';
import type { FlowProblem } from '../dual/flow-problem.ts';
import type { HopFlows } from '../dual/hop-flows.ts';
import type { Hop } from '../graph/hop.ts';
import { type Arc, LEAST_PART, type Network } from '../graph/network.ts';
import type { Split } from './search.ts';

/** Returns what becomes of a flow as a network, if pools take it. */
export function splitOfFlow(problem: FlowProblem, found: AcyclicFlow): Split {
  const { flows, output, supports } = found;
  const split = { output, isProven: true, supports: () => supports };
  const used = throughHops(problem, found.used);
  if (used.length === 0 || isSpilled(problem, flows, used)) return split;
  return { ...split, network: networkOfFlow(problem, { flows, used }) };
}

/** The part of a token that may be spilled: floats are not exact. */
const MAX_SPILLED = 1e-6;

/** Returns whether a token that carries something of the trade goes where there is no liquidity. */
export function isSpilled(
  { hopIn }: FlowProblem,
  { shares, spilled }: HopFlows,
  used: readonly number[],
): boolean {
  return used.some(
    (hop) => (shares[hop] ?? 0) >= LEAST_PART && (spilled[hopIn[hop] ?? 0] ?? 0) > MAX_SPILLED,
  );
}

/** What the ranges of a pool may round up, in base units. */
const SPARE_UNITS = 1024;

/** Returns the network of a flow whose used hops all lie on a way. */
export function networkOfFlow(
  problem: FlowProblem,
  { flows: { inputs, isFixed }, used }: Pick<AcyclicFlow, 'flows' | 'used'>,
): Network {
  const { hops, hopIn, hopOut } = problem;
  const order = nodesInOrder(problem, used);
  const place = new Map(order.map((node, index) => [node, index]));
  const byInput = used.toSorted((a, b) => (inputs[b] ?? 0) - (inputs[a] ?? 0));
  const nodes = order.map((node): Arc[] => {
    const leaving = byInput.filter((hop) => hopIn[hop] === node);
    const total = leaving.reduce((sum, hop) => sum + (inputs[hop] ?? 0), 0);
    return leaving.map((index): Arc => {
      const hop = hops[index] as Hop;
      const to = place.get(hopOut[index] ?? -1) ?? order.length - 1;
      const input = inputs[index] ?? 0;
      // What so little reaches that floats lose it is shared alike.
      const weight = total === 0 ? 1n : BigInt(Math.max(1, Math.round((input / total) * 2 ** 48)));
      if (isFixed[index] === 0) return { hop, to, weight };
      // A full pool is offered more than floats know it to take: each of its ranges rounds up.
      const spare = input < hop.capacityIn * (1 - 1e-12) ? 0 : 1e-6 * input + SPARE_UNITS;
      return { hop, to, weight, fixed: BigInt(Math.round(input + spare)) };
    });
  });
  return { nodes };
}
