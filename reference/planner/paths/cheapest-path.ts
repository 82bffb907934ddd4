import { keptWith } from '../domain/kept-with.ts';
import { type FlowProblem, flowProblemOf } from '../dual/flow-problem.ts';
import type { Hop } from '../graph/hop.ts';
import { type Path, pathOfHops } from '../graph/path.ts';
import type { Pair } from '../graph/pool-graph.ts';
import { layoutOf, MAX_HOPS } from './path-candidates.ts';
import { kindsOf } from './path-kinds.ts';

/** What so many hops need at least of a node's token for what is bought, and the first of them. */
type Label = {
  readonly amount: bigint;
  /** What that is worth at the best prices. */
  readonly worth: number;
  readonly node: number;
  readonly hop?: Hop;
  readonly after?: Label;
};

/** How far floats may be off. */
const LOST = 1e-12;

const enteringOf = keptWith(({ nodeCount, hopOut }: FlowProblem) => {
  const entering: number[][] = Array.from({ length: nodeCount }, () => []);
  for (const [hop, node] of hopOut.entries()) entering[node]?.push(hop);
  return entering;
});

/** Returns, of each kind of hops that may make up a path, the path that buys exactly `amount` for the least whole amount. */
export function cheapestPathsFor(pair: Pair, amount: bigint, isOneFamily: boolean): Path[] {
  const problem = flowProblemOf(pair);
  return kindsOf(pair, isOneFamily).flatMap((isOf) => {
    const hops: Hop[] = [];
    let label = cheapest(problem, amount, isOf);
    for (; label?.hop !== undefined; label = label.after) hops.push(label.hop);
    return pathOfHops(hops) ?? [];
  });
}

/** Walks back from the buy token, as its pools' contracts count: of as many hops, less of a token is better, whatever comes before. */
function cheapest(
  problem: FlowProblem,
  amount: bigint,
  isOpen: (hop: Hop) => boolean,
): Label | undefined {
  const { kept, values } = layoutOf(problem);
  let best: Label | undefined;
  let labels: Label[] = [{ amount, worth: Number(amount), node: problem.buy }];
  for (let length = 1; length <= MAX_HOPS; length++) {
    const next: (Label | undefined)[] = new Array(problem.nodeCount);
    for (const after of labels) {
      for (const at of enteringOf(problem)[after.node] ?? []) {
        const hop = problem.hops[at] as Hop;
        const node = problem.hopIn[at] ?? 0;
        const known = node === problem.sell ? best : next[node];
        // No hop gives more than its price at the start, and where no circle pays no way there does.
        const least = (after.worth / (kept[at] ?? 0)) * (1 - LOST);
        if ((known && least >= known.worth) || (problem.isFair && best && least >= best.worth))
          continue;
        if (Number(after.amount) > hop.capacityOut * (1 + LOST)) continue;
        if (!isOpen(hop) || hasMet(after, hop)) continue;
        const { kind, amountIn } = hop.curve.swapExactOutput(after.amount);
        if (kind === 'exhausted' || (known && amountIn >= known.amount)) continue;
        const label = {
          amount: amountIn,
          worth: Number(amountIn) * (values[node] ?? 0),
          node,
          hop,
          after,
        };
        if (node === problem.sell) best = label;
        else next[node] = label;
      }
    }
    labels = next.filter((label) => label !== undefined);
  }
  return best;
}

/** Tells whether a way goes through the token that a hop sells, or through its pool. */
function hasMet(way: Label, { tokenIn, pool }: Hop): boolean {
  for (let label: Label | undefined = way; label?.hop !== undefined; label = label.after) {
    if (label.hop.tokenOut === tokenIn || label.hop.pool === pool) return true;
  }
  return false;
}
