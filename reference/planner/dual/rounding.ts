import {
  type Branch,
  edgesOf,
  type FlowInUse,
  type IsBeaten,
  isPlan,
  type Near,
  rivalsThrough,
  weightsOf,
} from './branch.ts';
import { type Forbidden, limitsWithin } from './flow-limits.ts';
import type { FlowProblem } from './flow-problem.ts';
import { hopFlowsAt } from './hop-flows.ts';
import { copyOf, inRow, noPrecedence, orderAlong, type Precedence, putBefore } from './order.ts';

/** Looks at the best flow of orders, from what is known near by. */
export type Look = (part: Forbidden, near: Near) => Branch;

/** Puts nodes before others as edges of a flow ask for, those that contradict one another settled in some way. */
type Ordering = (ordered: Precedence, problem: FlowProblem, flow: FlowInUse) => void;

/** So that little flows against the order. */
const alongFlow: Ordering = (ordered, problem, { flows, used }) => {
  const order = orderAlong(edgesOf(problem, flows.shares, used));
  for (const [at, node] of order.entries()) {
    for (const other of order.slice(at + 1)) putBefore(ordered, node, other);
  }
};

/** So that the edges that gain most are kept, one after another. */
const alongGains: Ordering = (ordered, problem, { flows, used }) => {
  const edges = edgesOf(problem, flows.profits, used).sort((a, b) => b.weight - a.weight);
  for (const { tail, head } of edges) putBefore(ordered, tail, head);
};

/** Tried in turns: where the one finds no good plan, the other often does. */
const ORDERINGS: readonly Ordering[] = [alongFlow, alongGains];

/** How often what is left of circles is put into an order before it is given up. */
const MAX_ROUNDS = 4;

/** Looks at an order that suits a branch's flow, and of each pool at the hop that carries most. */
export function round(
  problem: FlowProblem,
  { closed: known, shown, near }: Branch,
  precedence: Precedence,
  { look, isBeaten }: { readonly look: Look; readonly isBeaten: IsBeaten },
  turn: number,
): void {
  const ordered = copyOf(precedence);
  const closed = new Set(known);
  const rivals = rivalsThrough(problem);
  let flow = shown;
  for (let rounds = 0; rounds < MAX_ROUNDS; rounds++) {
    ORDERINGS[turn % ORDERINGS.length]?.(ordered, problem, flow);
    const { shares } = flow.flows;
    const byShare = [...flow.used].sort((a, b) => (shares[b] ?? 0) - (shares[a] ?? 0));
    for (const hop of byShare) {
      if (!closed.has(hop)) for (const rival of rivals[hop] ?? []) closed.add(rival);
    }
    const next = look({ precedence: ordered, closed }, near);
    // A stricter order only yields less.
    if (isPlan(next) || isBeaten(next.ceiling)) return;
    flow = next.flow;
  }
}

/** How many moves of a token are looked at before an order is let be. */
const MAX_MOVES = 2;
/** A move that may gain less than this part is not looked at. */
const LEAST_GAIN = 1e-9;

/**
 * Looks at the orders next to that of a plan, a token moved to another place, which
 * at the plan's values may gain most: what the hops gain that no longer go against
 * the order, without what those did that now do.
 */
export function lookAround(
  problem: FlowProblem,
  input: number,
  { closed, solution: { logValues, bound }, flow }: Branch,
  look: (part: Forbidden, near: Near) => boolean,
): void {
  const { nodeCount: size, sell, buy } = problem;
  const order = orderAlong(edgesOf(problem, flow.flows.shares, flow.used));
  const unused = [...Array(size).keys()].filter((node) => !order.includes(node));
  const row = [...order.slice(0, -1), ...unused, ...order.slice(-1)];
  const { limits } = limitsWithin(problem, { precedence: noPrecedence(size), closed }, input);
  const gains = weightsOf(problem, hopFlowsAt(problem, input, logValues, limits).profits);
  const moves: { readonly from: number; readonly to: number; readonly gain: number }[] = [];
  for (const [from, node] of row.entries()) {
    if (node === sell || node === buy) continue;
    for (const step of [1, -1]) {
      let gain = 0;
      for (let to = from + step; to > 0 && to < size - 1; to += step) {
        const other = row[to] ?? 0;
        const before = gains[other * size + node] ?? 0;
        gain += step * (before - (gains[node * size + other] ?? 0));
        if (gain > LEAST_GAIN * bound) moves.push({ from, to, gain });
      }
    }
  }
  moves.sort((a, b) => b.gain - a.gain);
  for (const { from, to } of moves.slice(0, MAX_MOVES)) {
    const moved = row.toSpliced(from, 1).toSpliced(to, 0, row[from] ?? 0);
    if (look({ precedence: inRow(moved), closed }, { logValues })) return;
  }
}
