import { keptWith } from '../domain/kept-with.ts';
import { type DualSolution, solveDual } from './dual-solver.ts';
import { type Forbidden, limitsWithin } from './flow-limits.ts';
import { usedHops } from './flow-order.ts';
import { type FlowProblem, priceOf } from './flow-problem.ts';
import { type HopFlows, hopFlowsAt } from './hop-flows.ts';
import { circlingAmong, type Edge, type Weights } from './order.ts';
import { heldFlow, lowered, passTooMuch } from './throughput.ts';

/** What no plan betters, in base units of the buy token, and by how much it rises with each base unit sold. */
export type Ceiling = { readonly bound: number; readonly price: number };

/** Tells whether what no plan betters is beaten by a plan that is known. */
export type IsBeaten = (ceiling: Ceiling) => boolean;

/** A flow, and the hops in use. */
export type FlowInUse = { readonly flows: HopFlows; readonly used: readonly number[] };

/** What is known from near by: values to start from, and what there is at most of each token. */
export type Near = {
  readonly logValues?: Float64Array | undefined;
  readonly halves?: Float64Array | undefined;
  readonly most?: Float64Array | undefined;
};

/** Orders of the tokens that agree on some pairs, and the best flow of all of them. */
export type Branch = Forbidden & {
  readonly limits: Float64Array | undefined;
  /** The best flow if tokens may pass on any amount. */
  readonly solution: DualSolution;
  readonly flow: FlowInUse;
  /** No plan can use two hops through one pool: those of the first such pool. */
  readonly rivals: readonly number[];
  /** Edges on circles, which no plan can go. */
  readonly circling: readonly Edge[];
  /** What no plan in these orders betters, what each edge gains there, and the flow, which may be less in circles. */
  readonly ceiling: Ceiling;
  readonly gains: Weights;
  readonly shown: FlowInUse;
  readonly near: Near;
};

/** Returns whether a branch's best flow is a plan. */
export function isPlan({ circling, rivals }: Branch): boolean {
  return circling.length === 0 && rivals.length === 0;
}

/** Returns the best flow of orders, or one that is beaten. */
export function branchOf(
  problem: FlowProblem,
  input: number,
  { precedence, closed }: Forbidden,
  near: Near,
  isBeaten: IsBeaten,
): Branch {
  const start = near.logValues;
  const isFree = problem.isFair && start === undefined;
  const found = isFree
    ? undefined
    : limitsWithin(problem, { precedence, closed }, input, near.most);
  const limits = found?.limits;
  const isEnough = (bound: number, price: number) => isBeaten({ bound, price });
  const solution = solveDual(problem, input, { ...(start && { start }), limits, isEnough });
  const { logValues, bound } = solution;
  const flows = hopFlowsAt(problem, input, logValues, limits);
  const flow = { flows, used: usedHops(problem, flows, bound) };
  const circling = circlingIn(problem, flow);
  const price = priceOf(problem, problem.sell, logValues);
  const branch = {
    precedence,
    closed,
    limits,
    solution,
    flow,
    rivals: rivalsOf(problem, flow.used),
    circling,
    ceiling: { bound, price },
    gains: weightsOf(problem, flows.profits),
    shown: flow,
    near: { logValues },
  };
  if (found === undefined || circling.length === 0 || isEnough(bound, price)) return branch;
  const most = lowered(problem, found.most, { bound, logValues, flows });
  if (!passTooMuch(problem, flows, most)) return { ...branch, near: { logValues, most } };
  const held = heldFlow(problem, input, {
    limits: found.limits,
    most,
    logValues,
    halves: near.halves,
    isEnough,
  });
  if (held.bound >= bound) return { ...branch, near: { logValues, most } };
  const shown = { flows: held.flows, used: usedHops(problem, held.flows, held.bound) };
  const round = circlingIn(problem, shown);
  return {
    ...branch,
    circling: round.length === 0 ? circling : round,
    ceiling: held,
    gains: weightsOf(problem, held.flows.profits),
    shown,
    near: { logValues, halves: held.halves, most: lowered(problem, most, held) },
  };
}

function circlingIn(problem: FlowProblem, { flows, used }: FlowInUse): readonly Edge[] {
  return circlingAmong(problem.nodeCount, edgesOf(problem, flows.shares, used));
}

/** Returns the used hops through one of the pools that several go through. */
function rivalsOf({ hops }: FlowProblem, used: readonly number[]): readonly number[] {
  const pools = new Set(used.map((hop) => hops[hop]?.pool));
  if (pools.size === used.length) return [];
  const shared = used.find((hop) =>
    used.some((other) => other > hop && hops[other]?.pool === hops[hop]?.pool),
  );
  return used.filter((hop) => shared !== undefined && hops[hop]?.pool === hops[shared]?.pool);
}

/** The other hops of each hop's pool. */
export const rivalsThrough = keptWith(({ hops }: FlowProblem): readonly (readonly number[])[] => {
  const ofPool = new Map<unknown, number[]>();
  for (const [hop, { pool }] of hops.entries()) {
    const known = ofPool.get(pool);
    if (known === undefined) ofPool.set(pool, [hop]);
    else known.push(hop);
  }
  return hops.map(({ pool }, hop) => (ofPool.get(pool) ?? []).filter((other) => other !== hop));
});

/** Returns the sum over the hops between each two nodes of what `ofHops` says, where it is above 0. */
export function weightsOf(
  { nodeCount, hopIn, hopOut }: FlowProblem,
  ofHops: Float64Array,
): Weights {
  const weights = new Float64Array(nodeCount * nodeCount);
  for (let hop = 0; hop < ofHops.length; hop++) {
    const weight = ofHops[hop] ?? 0;
    const link = (hopIn[hop] ?? 0) * nodeCount + (hopOut[hop] ?? 0);
    if (weight > 0) weights[link] = (weights[link] ?? 0) + weight;
  }
  return weights;
}

/** Returns the hops in use, those between the same tokens as one, and what `ofHops` says of them. */
export function edgesOf(
  { nodeCount, hopIn, hopOut }: FlowProblem,
  ofHops: Float64Array,
  used: readonly number[],
): Edge[] {
  const weights = new Map<number, number>();
  for (const hop of used) {
    const key = (hopIn[hop] ?? 0) * nodeCount + (hopOut[hop] ?? 0);
    weights.set(key, (weights.get(key) ?? 0) + (ofHops[hop] ?? 0));
  }
  return [...weights].map(([key, weight]) => ({
    tail: Math.floor(key / nodeCount),
    head: key % nodeCount,
    weight,
  }));
}
