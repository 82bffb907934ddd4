import { at } from '../domain/at.ts';
import { type ArcFlows, arcFlowsAt, type UsedFlow, usedArcs } from './arc-flows.ts';
import { type DualSolution, solveDual } from './dual-solver.ts';
import type { FlowProblem } from './flow-problem.ts';
import { exceedsThroughput, lowerThroughput, NodeSplitProblem } from './node-splitting.ts';
import { cycleEdgesOf, type EdgeWeights, type WeightedEdge } from './precedence.ts';
import { limitsWithin, type Subproblem } from './rate-floors.ts';

/**
 * Upper bound on the yield of all plans in base units of the buy token, and its increase per base
 * unit sold.
 */
export type UpperBound = { readonly bound: number; readonly price: number };

/** Returns whether a known plan is as good as an upper bound. */
export type IsPruned = (upper: UpperBound) => boolean;

/** Results of a similar subproblem, from which the solver starts. */
export type WarmStart = {
  readonly logPrices?: Float64Array | undefined;
  readonly splitLogPrices?: Float64Array | undefined;
  readonly maxLogFlow?: Float64Array | undefined;
};

/** A subproblem with the solution of its relaxation, which allows cycles. */
export type Branch = Subproblem & {
  readonly rateFloors: Float64Array | undefined;
  /** The best flow without caps on throughput. */
  readonly solution: DualSolution;
  readonly flow: UsedFlow;
  /**
   * Used arcs that share a pool, of which a plan may use only one. Empty if no pool is used twice.
   */
  readonly rivals: readonly number[];
  /** Used edges on cycles. A plan has none. */
  readonly cycleEdges: readonly WeightedEdge[];
  readonly upper: UpperBound;
  /** Gain of each edge at the prices of the upper bound. */
  readonly gains: EdgeWeights;
  /** Flow at the prices of the upper bound. */
  readonly upperFlow: UsedFlow;
  readonly warmStart: WarmStart;
};

/**
 * Returns whether the best flow of a branch is a plan. If it is, its yield is a lower bound on the
 * best plan's yield.
 */
export function isPlan({ cycleEdges, rivals }: Branch): boolean {
  return cycleEdges.length === 0 && rivals.length === 0;
}

/** Solves the relaxations of a problem's subproblems. */
export class Relaxation {
  readonly #problem: FlowProblem;
  readonly #input: number;
  readonly #isPruned: IsPruned;
  #nodeSplit: NodeSplitProblem | undefined;
  #rivalsOf: readonly (readonly number[])[] | undefined;
  /** Number of dual problems solved. */
  solutions = 0;

  constructor(problem: FlowProblem, input: number, isPruned: IsPruned) {
    this.#problem = problem;
    this.#input = input;
    this.#isPruned = isPruned;
  }

  /** For each arc, the other arcs of its pool. */
  get rivalsOf(): readonly (readonly number[])[] {
    this.#rivalsOf ??= rivalsOfArcs(this.#problem);
    return this.#rivalsOf;
  }

  /**
   * Returns the branch of a subproblem. Solving stops as soon as the bound is low enough to prune
   * the branch.
   */
  solve({ precedence, closed }: Subproblem, near: WarmStart): Branch {
    const [problem, input] = [this.#problem, this.#input];
    const start = near.logPrices;
    const isRoot = problem.isArbitrageFree && start === undefined;
    const limits = isRoot
      ? undefined
      : limitsWithin(problem, { precedence, closed }, input, near.maxLogFlow);
    const rateFloors = limits?.rateFloors;
    const isLowEnough = (bound: number, price: number) => this.#isPruned({ bound, price });
    const solution = solveDual(problem, input, { start, rateFloors, isLowEnough });
    this.solutions++;
    const { logPrices, bound } = solution;
    const flows = arcFlowsAt(problem, input, logPrices, rateFloors);
    const flow = { flows, used: usedArcs(problem, flows, bound) };
    const cycleEdges = cycleEdgesIn(problem, flow);
    const price = problem.priceOf(problem.sell, logPrices);
    const branch: Branch = {
      precedence,
      closed,
      rateFloors,
      solution,
      flow,
      rivals: rivalsAmong(problem, flow.used),
      cycleEdges,
      upper: { bound, price },
      gains: weightsOf(problem, flows.profits),
      upperFlow: flow,
      warmStart: { logPrices },
    };
    if (limits === undefined || cycleEdges.length === 0 || isLowEnough(bound, price)) return branch;
    const maxLogFlow = lowerThroughput(problem, limits.maxLogFlow, { bound, logPrices, flows });
    const uncapped = { ...branch, warmStart: { logPrices, maxLogFlow } };
    if (!exceedsThroughput(problem, flows, maxLogFlow)) return uncapped;
    // Without caps, one mispriced trade in five loses up to 1.1e-2, and one in nine gains.
    this.#nodeSplit ??= new NodeSplitProblem(problem);
    const capped = this.#nodeSplit.solve(input, {
      rateFloors: limits.rateFloors,
      maxLogFlow,
      logPrices,
      start: near.splitLogPrices,
      isLowEnough,
    });
    if (capped.bound >= bound) return uncapped;
    this.solutions++;
    const upperFlow = { flows: capped.flows, used: usedArcs(problem, capped.flows, capped.bound) };
    const cappedEdges = cycleEdgesIn(problem, upperFlow);
    return {
      ...branch,
      cycleEdges: cappedEdges.length === 0 ? cycleEdges : cappedEdges,
      upper: capped,
      gains: weightsOf(problem, capped.flows.profits),
      upperFlow,
      warmStart: {
        logPrices,
        splitLogPrices: capped.splitLogPrices,
        maxLogFlow: lowerThroughput(problem, maxLogFlow, capped),
      },
    };
  }
}

function cycleEdgesIn(problem: FlowProblem, { flows, used }: UsedFlow): readonly WeightedEdge[] {
  return cycleEdgesOf(problem.nodeCount, edgesOf(problem, flows.shares, used));
}

function rivalsAmong({ arcs }: FlowProblem, used: readonly number[]): readonly number[] {
  const pools = new Set(used.map((arc) => arcs[arc]?.pool));
  if (pools.size === used.length) return [];
  const shared = used.find((arc) =>
    used.some((other) => other > arc && arcs[other]?.pool === arcs[arc]?.pool),
  );
  return used.filter((arc) => shared !== undefined && arcs[arc]?.pool === arcs[shared]?.pool);
}

function rivalsOfArcs({ arcs }: FlowProblem): readonly (readonly number[])[] {
  const ofPool = new Map<unknown, number[]>();
  for (const [arc, { pool }] of arcs.entries()) {
    const known = ofPool.get(pool);
    if (known === undefined) ofPool.set(pool, [arc]);
    else known.push(arc);
  }
  return arcs.map(({ pool }, arc) => (ofPool.get(pool) ?? []).filter((other) => other !== arc));
}

/** Returns, for each pair of nodes, the sum of the positive values of the arcs between them. */
export function weightsOf(
  { nodeCount, tails, heads }: FlowProblem,
  ofArcs: Float64Array,
): EdgeWeights {
  const weights = new Float64Array(nodeCount * nodeCount);
  for (let arc = 0; arc < ofArcs.length; arc++) {
    const weight = at(ofArcs, arc);
    const edge = at(tails, arc) * nodeCount + at(heads, arc);
    if (weight > 0) weights[edge] = at(weights, edge) + weight;
  }
  return weights;
}

/**
 * Returns the edges that the used arcs form. The weight of an edge is the sum of its arcs' values.
 */
export function edgesOf(
  { nodeCount, tails, heads }: FlowProblem,
  ofArcs: ArcFlows['shares'],
  used: readonly number[],
): WeightedEdge[] {
  const weights = new Map<number, number>();
  for (const arc of used) {
    const edge = at(tails, arc) * nodeCount + at(heads, arc);
    weights.set(edge, (weights.get(edge) ?? 0) + at(ofArcs, arc));
  }
  return [...weights].map(([edge, weight]) => ({
    tail: Math.floor(edge / nodeCount),
    head: edge % nodeCount,
    weight,
  }));
}
