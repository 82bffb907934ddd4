import { keptWith } from '../../domain/kept-with.ts';
import { leastLost } from './circle-bound.ts';
import { type DualSolution, solveDual } from './dual-solver.ts';
import { type Forbidden, limitsOf, limitsWithin, SPARE } from './flow-limits.ts';
import { usedHops } from './flow-order.ts';
import { type FlowProblem, priceOf } from './flow-problem.ts';
import { type HopFlows, hopFlowsAt } from './hop-flows.ts';
import {
  type Edge,
  noPrecedence,
  orderAlong,
  type Precedence,
  putBefore,
  shortestCircle,
} from './order.ts';

/**
 * A line above what plans yield, at prices at which pools trade for themselves:
 * `profit`, what they gain, and `price` for each base unit sold.
 */
export type Support = { readonly price: number; readonly profit: number };

/** The best flow that is found without a circle, and how far from best it may be. */
export type AcyclicFlow = {
  readonly flows: HopFlows;
  readonly used: readonly number[];
  readonly logValues: Float64Array;
  /** What it yields, in floats. */
  readonly output: number;
  /** Infinite for each hop that its order of the tokens forbids; unset where the best flow of all is a plan. */
  readonly limits: Float64Array | undefined;
  /** One for each part of the orders in which tokens may be traded, nearly always one for all: the highest is above any plan. */
  readonly supports: readonly Support[];
};

/** Which hops are left out, and `logValues` of a solution near by. */
export type FlowOptions = {
  readonly closed?: ReadonlySet<number>;
  readonly start?: Float64Array;
};

const NONE: ReadonlySet<number> = new Set();

/** How many solutions are looked at, fewer where many hops make each slow; and how often one is rounded to a plan. */
const MAX_LOOKS = 64;
const MAX_HOPS_LOOKED_AT = 16_000;
const ROUND_EVERY = 2;
/** When the best is near enough to what others may yield. */
const NEAR = 1e-9;

/** Orders of the tokens that agree on some pairs, and the best flow of all of them. */
type Branch = {
  readonly precedence: Precedence;
  /** Hops that are left out, so that no pool is used twice. */
  readonly closed: ReadonlySet<number>;
  readonly limits: Float64Array | undefined;
  readonly solution: DualSolution;
  /** What no plan in these orders betters: less than the solution where that goes round in circles. */
  readonly bound: number;
  readonly flows: HopFlows;
  readonly used: readonly number[];
  /** A circle of tokens, which no plan can go; none if the flow is acyclic. */
  readonly circle: readonly Edge[] | undefined;
  /** Hops through one pool, which no plan can use twice; none if all go through different ones. */
  readonly rivals: readonly number[];
};

/**
 * Returns the best acyclic flow of `input` base units; one without hops if none is found. Where arbitrage in the market makes the best flow go round in circles of
 * tokens, branch and bound: some order of the tokens fits the best plan, so the
 * orders are parted by where they break a circle, and the part that may yield
 * most is looked into first.
 */
export function bestAcyclicFlow(
  problem: FlowProblem,
  input: number,
  { closed = NONE, start }: FlowOptions = {},
): AcyclicFlow {
  const supports: Support[] = [];
  let looks = 0;
  let best: Branch | undefined;
  /** Tells whether no input from `input` up to a little more yields more than the best flow. */
  const isBeaten = (bound: number, price: number): boolean => {
    if (best === undefined) return false;
    const more = input * SPARE;
    const known = best.solution.bound;
    const atMost = known + more * priceOf(problem, problem.sell, best.solution.logValues);
    return bound <= known * (1 + NEAR) && bound + more * price <= atMost * (1 + NEAR);
  };
  const look: Look = ({ precedence, closed }, start) => {
    const isFree = problem.isFair && start === undefined;
    looks += 1;
    const limits = isFree ? undefined : limitsWithin(problem, { precedence, closed }, input);
    const branch = branchOf(problem, input, {
      precedence,
      closed,
      limits,
      start,
      isEnough: isBeaten,
    });
    const { bound } = branch.solution;
    if (isPlan(branch) && bound > (best?.solution.bound ?? 0)) best = branch;
    return branch;
  };
  const close = ({ bound, solution: { logValues } }: Branch) => {
    const price = priceOf(problem, problem.sell, logValues);
    supports.push({ price, profit: bound - price * input });
  };
  const most = Math.min(MAX_LOOKS, MAX_HOPS_LOOKED_AT / problem.hops.length);
  const first = look({ precedence: noPrecedence(problem.nodeCount), closed }, start);
  const open = [first];
  for (let branches = 0; open.length > 0; branches++) {
    const branch = takeHighest(open);
    const {
      bound,
      solution: { logValues },
    } = branch;
    const price = priceOf(problem, problem.sell, logValues);
    if (isPlan(branch) || isBeaten(bound, price) || looks > most) {
      close(branch);
      continue;
    }
    if (branches % ROUND_EVERY === 0) {
      round(problem, branch, look, ORDERINGS[(branches / ROUND_EVERY) % ORDERINGS.length]);
    }
    for (const part of partsOf(problem, branch)) open.push(look(part, logValues));
  }
  const { flows, solution } = best ?? first;
  const { logValues } = solution;
  if (best === undefined) {
    return { flows, used: [], logValues, limits: undefined, output: 0, supports };
  }
  const { used } = best;
  const limits = best === first ? undefined : limitsOf(problem, best);
  return { flows, used, logValues, limits, output: solution.bound, supports };
}

type Look = (part: Forbidden, start?: Float64Array) => Branch;

function isPlan({ circle, rivals }: Branch): boolean {
  return circle === undefined && rivals.length === 0;
}

type BranchOptions = Pick<Branch, 'precedence' | 'closed' | 'limits'> & {
  readonly start: Float64Array | undefined;
  readonly isEnough: (bound: number, price: number) => boolean;
};

function branchOf(
  problem: FlowProblem,
  input: number,
  { precedence, closed, limits, start, isEnough }: BranchOptions,
): Branch {
  const solution = solveDual(problem, input, { ...(start && { start }), limits, isEnough });
  const flows = hopFlowsAt(problem, input, solution.logValues, limits);
  const used = usedHops(problem, flows, solution.bound);
  const circle = shortestCircle(problem.nodeCount, edgesOf(problem, flows.shares, used));
  const lost = circle && leastLost(problem.nodeCount, edgesOf(problem, flows.profits, used));
  const bound = solution.bound - (lost ?? 0);
  const rivals = rivalsOf(problem, used);
  return { precedence, closed, limits, solution, bound, flows, used, circle, rivals };
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

/** Parts a branch by what breaks its circle, or by which of the rivals is used, if any. */
function* partsOf(problem: FlowProblem, branch: Branch): Generator<Forbidden, void> {
  const { precedence, closed, circle, rivals } = branch;
  if (circle !== undefined) {
    for (const part of parts(precedence, circle)) yield { precedence: part, closed };
    return;
  }
  for (const rival of rivals) {
    const others = rivalsThrough(problem)[rival] ?? [];
    yield { precedence, closed: new Set([...closed, ...others]) };
  }
  yield { precedence, closed: new Set([...closed, ...rivals]) };
}

/** The other hops of each hop's pool. */
const rivalsThrough = keptWith(({ hops }: FlowProblem): readonly (readonly number[])[] => {
  const ofPool = new Map<unknown, number[]>();
  for (const [hop, { pool }] of hops.entries()) {
    const known = ofPool.get(pool);
    if (known === undefined) ofPool.set(pool, [hop]);
    else known.push(hop);
  }
  return hops.map(({ pool }, hop) => (ofPool.get(pool) ?? []).filter((other) => other !== hop));
});

function takeHighest(open: Branch[]): Branch {
  const highest = open.reduce((a, b) => (b.bound > a.bound ? b : a));
  open.splice(open.indexOf(highest), 1);
  return highest;
}

/** Parts the orders by the first edge of the circle that they break. */
function* parts(
  { size, comesFirst }: Precedence,
  circle: readonly Edge[],
): Generator<Precedence, void> {
  const along = { size, comesFirst: comesFirst.slice() };
  for (const { tail, head } of circle) {
    const against = { size, comesFirst: along.comesFirst.slice() };
    if (putBefore(against, head, tail)) yield against;
    if (!putBefore(along, tail, head)) return;
  }
}

/** Puts nodes before others as edges of a flow ask for, those that contradict one another settled in some way. */
type Ordering = (ordered: Precedence, problem: FlowProblem, flow: FlowInUse) => void;
type FlowInUse = Pick<Branch, 'flows' | 'used'>;

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
const ORDERINGS = [alongFlow, alongGains];

/** How often what is left of circles is put into an order before it is given up. */
const MAX_ROUNDS = 4;

/** Looks at an order that suits a branch's flow, and of each pool at the hop that carries most. */
function round(
  problem: FlowProblem,
  { precedence, solution, ...branch }: Branch,
  look: Look,
  putInOrder: Ordering = alongFlow,
): void {
  const ordered = { size: precedence.size, comesFirst: precedence.comesFirst.slice() };
  const closed = new Set(branch.closed);
  const rivals = rivalsThrough(problem);
  let { flows, used } = branch;
  for (let rounds = 0; rounds < MAX_ROUNDS; rounds++) {
    putInOrder(ordered, problem, { flows, used });
    const byShare = [...used].sort((a, b) => (flows.shares[b] ?? 0) - (flows.shares[a] ?? 0));
    for (const hop of byShare) {
      if (!closed.has(hop)) for (const rival of rivals[hop] ?? []) closed.add(rival);
    }
    const next = look({ precedence: ordered, closed }, solution.logValues);
    if (isPlan(next)) return;
    ({ flows, used } = next);
  }
}

/** The hops in use, those between the same tokens as one, and what `ofHops` says of them. */
function edgesOf(
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
