import { LEAST_PART } from '../graph/network.ts';
import type { FlowProblem } from './flow-problem.ts';
import type { HopFlows } from './hop-flows.ts';

/** A hop that earns less than this part of the output, and carries little, is not worth a swap. */
const LEAST_PROFIT = 1e-12;

/** Returns the hops that are worth a swap, and those that they need. */
export function usedHops(
  problem: FlowProblem,
  { shares, profits }: HopFlows,
  bound: number,
): number[] {
  const used: number[] = [];
  for (let hop = 0; hop < shares.length; hop++) {
    const isWorth = (shares[hop] ?? 0) >= LEAST_PART || (profits[hop] ?? 0) > LEAST_PROFIT * bound;
    if (isWorth) used.push(hop);
  }
  return withFeeders(problem, shares, used);
}

/** Returns the nodes that the hops lead to from the sell token, in topological order; the hops go in no circle. */
export function nodesInOrder(
  { sell, hopIn, hopOut }: FlowProblem,
  used: readonly number[],
): readonly number[] {
  const done = new Set<number>();
  const visit = (node: number): void => {
    for (const hop of used) {
      const next = hopOut[hop] ?? 0;
      if (hopIn[hop] === node && !done.has(next)) visit(next);
    }
    done.add(node);
  };
  visit(sell);
  return [...done].reverse();
}

/** Returns those of the hops that lie on a way from the sell token to the buy token. */
export function throughHops(
  { nodeCount, sell, buy, hopIn, hopOut }: FlowProblem,
  used: readonly number[],
): number[] {
  const [isFed, isDrained] = [new Uint8Array(nodeCount), new Uint8Array(nodeCount)];
  reach(isFed, used, sell, hopIn, hopOut);
  reach(isDrained, used, buy, hopOut, hopIn);
  return used.filter((hop) => isFed[hopIn[hop] ?? -1] === 1 && isDrained[hopOut[hop] ?? -1] === 1);
}

/** Puts 1 in `isReached` for the nodes that the hops lead to from `start`, it included. */
function reach(
  isReached: Uint8Array,
  used: readonly number[],
  start: number,
  near: Int32Array,
  far: Int32Array,
): void {
  isReached[start] = 1;
  for (let hasGrown = true; hasGrown; ) {
    hasGrown = false;
    for (const hop of used) {
      const next = far[hop] ?? 0;
      if (isReached[near[hop] ?? 0] === 0 || isReached[next] === 1) continue;
      isReached[next] = 1;
      hasGrown = true;
    }
  }
}

/** A hop that carries less than this part of what flows into or out of a token is not worth a swap. */
const LEAST_OF_TOKEN = 1e-6;

/**
 * Returns the hops and what they need besides: where none of them leads to a
 * token that they sell, the hops that bring it; where none sells a token that
 * they buy, the hops that take it.
 */
function withFeeders(
  { sell, buy, hopIn, hopOut }: FlowProblem,
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
    add(hopIn[hop] ?? 0, hopOut, sell);
    add(hopOut[hop] ?? 0, hopIn, buy);
  }
  return all;
}
