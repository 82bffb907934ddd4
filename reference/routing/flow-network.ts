import { weightOf } from './disjoint-paths.ts';
import { type DualSolution, solveDual } from './dual-solver.ts';
import type { FlowProblem } from './flow-problem.ts';
import type { Arc, Network } from './network.ts';

/** The optimal flow of an input, made acyclic, as a network. */
export type FlowPlan = {
  readonly network: Network;
  readonly solution: DualSolution;
};

/** How many edges may be cut before the search gives up. */
const MAX_CUTS = 16;

/**
 * Returns the network of the best flow of `input` base units. Where arbitrage in
 * the market makes the flow go round in a circle of tokens, the circle's thinnest
 * edge is forbidden and the rest solved again. `undefined` if nothing flows.
 */
export function planFlow(
  problem: FlowProblem,
  input: number,
  start?: Float64Array,
): FlowPlan | undefined {
  const forbidden = new Set<number>();
  let solution = solveDual(problem, input, { ...(start && { start }) });
  for (let cut = 0; cut <= MAX_CUTS; cut++) {
    const used = usedHops(problem, solution, input);
    if (used.length === 0) return undefined;
    const order = topologicalOrder(problem, used);
    if (order.kind === 'ordered') {
      return { network: networkOf(problem, solution, used, order.nodes), solution };
    }
    for (const hop of thinnestEdge(problem, solution, used, order.cycle)) forbidden.add(hop);
    solution = solveDual(problem, input, { start: solution.logValues, forbidden });
  }
  return undefined;
}

/** Hops that carry enough to be worth a swap, and lie on a way from sell to buy among such hops. */
function usedHops(problem: FlowProblem, solution: DualSolution, input: number): number[] {
  const { hops, hopIn, hopOut } = problem;
  const whole = input * (solution.values[0] ?? 0);
  if (!(whole > 0 && whole < Number.POSITIVE_INFINITY)) return [];
  const used = [...hops.keys()].filter((hop) => {
    const value = valueThrough(problem, solution, hop);
    return weightOf(value / whole) > 0n;
  });
  const fed = reached(used, 0, hopIn, hopOut);
  const drained = reached(used, 1, hopOut, hopIn);
  return used.filter((hop) => fed.has(hopIn[hop] ?? 0) && drained.has(hopOut[hop] ?? 0));
}

/** The nodes that the hops lead to from `start`, it included. */
function reached(
  used: readonly number[],
  start: number,
  near: Int32Array,
  far: Int32Array,
): Set<number> {
  const nodes = new Set([start]);
  for (let before = 0; before !== nodes.size; ) {
    before = nodes.size;
    for (const hop of used) if (nodes.has(near[hop] ?? 0)) nodes.add(far[hop] ?? 0);
  }
  return nodes;
}

function valueThrough({ hopIn }: FlowProblem, solution: DualSolution, hop: number): number {
  return (solution.inputs[hop] ?? 0) * (solution.values[hopIn[hop] ?? 0] ?? 0);
}

type Order =
  | { readonly kind: 'ordered'; readonly nodes: readonly number[] }
  | { readonly kind: 'cyclic'; readonly cycle: readonly number[] };

/** Depth first from the sell token: the order of the nodes, or the first circle met. */
function topologicalOrder({ hopIn, hopOut }: FlowProblem, used: readonly number[]): Order {
  const done: number[] = [];
  const trail: number[] = [];
  const visit = (node: number): readonly number[] | undefined => {
    if (done.includes(node)) return undefined;
    const met = trail.indexOf(node);
    if (met >= 0) return trail.slice(met);
    trail.push(node);
    for (const hop of used) {
      if (hopIn[hop] !== node) continue;
      const cycle = visit(hopOut[hop] ?? 1);
      if (cycle !== undefined) return cycle;
    }
    trail.pop();
    done.push(node);
    return undefined;
  };
  const cycle = visit(0);
  return cycle === undefined
    ? { kind: 'ordered', nodes: done.reverse() }
    : { kind: 'cyclic', cycle };
}

/** All hops, used or not, between the two tokens of the circle that exchange least. */
function thinnestEdge(
  problem: FlowProblem,
  solution: DualSolution,
  used: readonly number[],
  cycle: readonly number[],
): number[] {
  const { hops, hopIn, hopOut } = problem;
  const edges = cycle.map((tail, index) => {
    const head = cycle[(index + 1) % cycle.length];
    const isBetween = (hop: number) => hopIn[hop] === tail && hopOut[hop] === head;
    const value = used
      .filter(isBetween)
      .reduce((sum, hop) => sum + valueThrough(problem, solution, hop), 0);
    return { value, isBetween };
  });
  const thinnest = edges.reduce((least, edge) => (edge.value < least.value ? edge : least));
  return [...hops.keys()].filter(thinnest.isBetween);
}

function networkOf(
  { hops, hopIn, hopOut }: FlowProblem,
  { inputs }: DualSolution,
  used: readonly number[],
  order: readonly number[],
): Network {
  const place = new Map(order.map((node, index) => [node, index]));
  const nodes = order.map((node): Arc[] => {
    const leaving = used.filter((hop) => hopIn[hop] === node);
    const total = leaving.reduce((sum, hop) => sum + (inputs[hop] ?? 0), 0);
    return leaving.flatMap((index): Arc[] => {
      const hop = hops[index];
      const to = place.get(hopOut[index] ?? 1) ?? order.length - 1;
      const weight = BigInt(Math.round(((inputs[index] ?? 0) / total) * 2 ** 48));
      return hop === undefined || weight === 0n ? [] : [{ hop, to, weight }];
    });
  });
  return { nodes };
}
