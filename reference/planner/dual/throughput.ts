import { keptWith } from '../domain/kept-with.ts';
import { eliminationOf } from '../graph/elimination.ts';
import { ladderOf } from '../graph/hop.ts';
import { solveDual } from './dual-solver.ts';
import { SPARE } from './flow-limits.ts';
import { add, type FlowProblem, ofOneShape, priceOf } from './flow-problem.ts';
import { type HopFlows, hopFlowsAt } from './hop-flows.ts';

/*
 * Without circles a token passes on no more than the whole input becomes on the
 * way to it. In a flow that goes round in circles it may pass on that much through
 * every pool. To hold it to that, a token is two nodes, what comes in and what goes
 * out, joined by a hop that takes so much, one for one.
 */

/** By how much the price of such a hop falls while it fills up, natural logarithm: a kink would be none to Newton. On average it is one for one, so that no plan loses. */
const BEND = 1e-6;

/** A token that passes on no more than this part too much is not worth the longer solution. */
const SLACK = 1e-3;

/** A problem of two nodes a token, and where they stand. */
type Halved = {
  readonly problem: FlowProblem;
  /** The tokens that are two nodes, in the order of the hops that join these, behind all others. */
  readonly joined: readonly number[];
  readonly inward: Int32Array;
  readonly outward: Int32Array;
};

const halvedOf = keptWith((problem: FlowProblem): Halved => {
  const { nodeCount, sell, buy, bestLogValue } = problem;
  const joined = [...bestLogValue.keys()].filter((node) => node !== sell && node !== buy);
  const other = new Int32Array(nodeCount).map((_, node) => node);
  for (const [at, node] of joined.entries()) other[node] = nodeCount + at;
  const ins = [...problem.hopIn, ...joined].map((node, hop) =>
    hop < problem.hopIn.length ? (other[node] ?? 0) : node,
  );
  const outs = [...problem.hopOut, ...joined.map((node) => other[node] ?? 0)];
  const neighbours = Array.from({ length: nodeCount + joined.length }, () => new Set<number>());
  for (const [hop, one] of ins.entries()) {
    neighbours[one]?.add(outs[hop] ?? 0);
    neighbours[outs[hop] ?? 0]?.add(one);
  }
  const elimination = eliminationOf(neighbours);
  const place = new Int32Array(neighbours.length);
  for (const [at, node] of elimination.order.entries()) place[node] = at;
  const placed = (nodes: Iterable<number>) => Int32Array.from(nodes, (node) => place[node] ?? 0);
  const [inward, outward] = [placed(other.keys()), placed(other)];
  const best = new Float64Array(neighbours.length);
  for (const [node, value] of bestLogValue.entries()) {
    best[inward[node] ?? 0] = best[outward[node] ?? 0] = value;
  }
  const withJoints = (column: Float64Array, filling: number) =>
    new Float64Array(ins.length).map((_, hop) => column[hop] ?? filling);
  return {
    joined,
    inward,
    outward,
    problem: {
      ...problem,
      nodeCount: neighbours.length,
      sell: place[sell] ?? 0,
      buy: place[buy] ?? 0,
      hopIn: placed(ins),
      hopOut: placed(outs),
      logRate: withJoints(problem.logRate, 0),
      logStart: withJoints(problem.logStart, BEND),
      firstEnd: withJoints(problem.firstEnd, -BEND),
      bestLogValue: best,
      elimination,
    },
  };
});

/** Holds each token to `most`, natural logarithms of base units. */
function withJoints(problem: FlowProblem, most: Float64Array): FlowProblem {
  const halved = halvedOf(problem);
  const ladders = halved.joined.map((node) => {
    const depthIn = Math.exp(most[node] ?? 0) / Math.expm1(BEND);
    return ladderOf([{ logPrice: BEND, span: BEND, depthIn, depthOut: depthIn * Math.exp(BEND) }]);
  });
  const all = [...problem.ladders, ...ladders];
  return ofOneShape({
    ...halved.problem,
    ladders: all,
    firstDepthIn: Float64Array.from(all, ({ depthIn }) => depthIn[0] ?? 0),
    firstDepthOut: Float64Array.from(all, ({ depthOut }) => depthOut[0] ?? 0),
  });
}

/** A flow in which no token passes on too much. */
export type HeldFlow = {
  readonly bound: number;
  readonly price: number;
  readonly flows: HopFlows;
  /** Values of what comes in. */
  readonly logValues: Float64Array;
  /** Values of all nodes, from which the next solution may start. */
  readonly halves: Float64Array;
};

/** Where tokens pass on too much, and from where to look for a flow in which they do not. */
export type HoldOptions = {
  readonly limits: Float64Array;
  readonly most: Float64Array;
  readonly logValues: Float64Array;
  readonly halves: Float64Array | undefined;
  readonly isEnough: (bound: number, price: number) => boolean;
};

/** Returns the best flow in which no token passes on more than `most`. */
export function heldFlow(
  problem: FlowProblem,
  input: number,
  { limits, most, logValues, halves, isEnough }: HoldOptions,
): HeldFlow {
  const { inward, outward } = halvedOf(problem);
  const held = withJoints(problem, most);
  const start = halves ?? new Float64Array(held.nodeCount);
  for (const [node, value] of halves ? [] : logValues.entries()) {
    start[inward[node] ?? 0] = start[outward[node] ?? 0] = value;
  }
  const all = new Float64Array(held.hopIn.length).fill(Number.NEGATIVE_INFINITY);
  all.set(limits);
  const solution = solveDual(held, input, { start, limits: all, isEnough });
  const { inputs, shares, profits, ...flows } = hopFlowsAt(held, input, solution.logValues, all);
  const own = (column: Float64Array) => column.subarray(0, limits.length);
  return {
    bound: solution.bound,
    price: priceOf(held, held.sell, solution.logValues),
    flows: { ...flows, inputs: own(inputs), shares: own(shares), profits: own(profits) },
    logValues: Float64Array.from(inward, (at) => solution.logValues[at] ?? 0),
    halves: solution.logValues,
  };
}

/** Returns whether some token but the one to sell passes on more than `most`. */
export function passTooMuch(
  { nodeCount, sell, hopIn }: FlowProblem,
  { inputs }: HopFlows,
  most: Float64Array,
): boolean {
  const passed = new Float64Array(nodeCount);
  for (const [hop, amount] of inputs.entries()) add(passed, hopIn[hop] ?? 0, amount);
  return passed.some(
    (amount, node) => node !== sell && amount > Math.exp(most[node] ?? 0) * (1 + SLACK),
  );
}

/**
 * Returns these limits of what each token passes on, lowered to what its worth
 * allows: what becomes of the trade on the way to a token is worth no more than
 * the bound without what is gained behind it.
 */
export function lowered(
  { sell, hopIn, bestLogValue }: FlowProblem,
  most: Float64Array,
  { bound, logValues, flows }: Pick<HeldFlow, 'bound' | 'logValues' | 'flows'>,
): Float64Array {
  const worth = new Float64Array(most.length).fill(bound * (1 + SPARE));
  for (const [hop, profit] of flows.profits.entries()) add(worth, hopIn[hop] ?? 0, -profit);
  return most.map((known, node) => {
    const value = (logValues[node] ?? 0) + (bestLogValue[node] ?? 0);
    return node === sell ? known : Math.min(known, Math.log(worth[node] ?? 0) - value);
  });
}
