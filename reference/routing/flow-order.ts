import type { FlowProblem } from './flow-problem.ts';

/** Nodes in topological order, or a circle that has none: each of its nodes leads to the next. */
export type FlowOrder =
  | { readonly kind: 'ordered'; readonly nodes: readonly number[] }
  | { readonly kind: 'cyclic'; readonly cycle: readonly number[] };

/** Returns the order of the nodes that the hops lead to from the sell token, or the first circle met. */
export function orderOf({ hopIn, hopOut }: FlowProblem, used: readonly number[]): FlowOrder {
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

/** Returns all hops, used or not, between the two tokens of the circle that exchange least. */
export function thinnestEdge(
  { hops, hopIn, hopOut }: FlowProblem,
  shares: Float64Array,
  used: readonly number[],
  cycle: readonly number[],
): number[] {
  const edges = cycle.map((tail, index) => {
    const head = cycle[(index + 1) % cycle.length];
    const isBetween = (hop: number) => hopIn[hop] === tail && hopOut[hop] === head;
    const value = used.filter(isBetween).reduce((sum, hop) => sum + (shares[hop] ?? 0), 0);
    return { value, isBetween };
  });
  const thinnest = edges.reduce((least, edge) => (edge.value < least.value ? edge : least));
  return [...hops.keys()].filter(thinnest.isBetween);
}

/** Returns those of the hops that lie on a way from the sell token to the buy token. */
export function throughHops({ hopIn, hopOut }: FlowProblem, used: readonly number[]): number[] {
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

/** A hop that carries less than this part of what flows into or out of a token is not worth a swap. */
const LEAST_OF_TOKEN = 1e-6;

/**
 * Returns the hops and what they need besides: where none of them leads to a
 * token that they sell, the hops that bring it; where none sells a token that
 * they buy, the hops that take it.
 */
export function withFeeders(
  { hopIn, hopOut }: FlowProblem,
  shares: Float64Array,
  used: readonly number[],
): number[] {
  const all = [...used];
  const add = (node: number, side: Int32Array, end: number): void => {
    if (node === end || all.some((hop) => side[hop] === node)) return;
    let most = 0;
    for (const [hop, at] of side.entries())
      if (at === node) most = Math.max(most, shares[hop] ?? 0);
    for (const [hop, at] of side.entries()) {
      const share = shares[hop] ?? 0;
      if (at === node && share > 0 && share >= LEAST_OF_TOKEN * most) all.push(hop);
    }
  };
  // Those that are added are looked at in their turn.
  for (const hop of all) {
    add(hopIn[hop] ?? 0, hopOut, 0);
    add(hopOut[hop] ?? 1, hopIn, 1);
  }
  return all;
}
