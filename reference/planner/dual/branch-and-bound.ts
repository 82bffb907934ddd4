import { type ArcFlows, arcFlowsAt } from './arc-flows.ts';
import type { BoundLine } from './bound-lines.ts';
import {
  type Branch,
  edgesOf,
  type IsPruned,
  isPlan,
  Relaxation,
  type UpperBound,
  type WarmStart,
  weightsOf,
} from './branch.ts';
import { packCycles } from './cycle-packing.ts';
import type { FlowProblem } from './flow-problem.ts';
import {
  comesBefore,
  copyOf,
  isUndecided,
  noPrecedence,
  orderAlong,
  type Precedence,
  putBefore,
  totalOrder,
  weightAgainst,
} from './precedence.ts';
import { INPUT_MARGIN, limitsWithin, rateFloorsOf, type Subproblem } from './rate-floors.ts';

/** The best acyclic flow that was found, and upper bounds of what any plan yields. */
export type AcyclicFlow = {
  readonly flows: ArcFlows;
  /** None if no plan was found. */
  readonly used: readonly number[];
  readonly logPrices: Float64Array;
  /** Yield in base units of the buy token, as a float: a lower bound of the best plan's. */
  readonly output: number;
  /** Rate floors that exclude the arcs against the plan's order of tokens; unset if the best flow of all is a plan. */
  readonly rateFloors: Float64Array | undefined;
  /** One line for each subproblem that was closed, nearly always one for all: the highest is above any plan. */
  readonly boundLines: readonly BoundLine[];
};

export type FlowOptions = {
  /** Arcs that must not be used; default none. */
  readonly closed?: ReadonlySet<number>;
  /** `logPrices` of a similar problem's solution. */
  readonly start?: Float64Array;
  /** Maximum number of dual problems to solve if cycles of trades pay. Default: {@link MAX_SOLUTIONS}, fewer if there are many arcs. */
  readonly maxSolutions?: number | undefined;
};

const NONE: ReadonlySet<number> = new Set();

const MAX_SOLUTIONS = 160;
/** Maximum number of dual problems times arcs. */
const MAX_ARC_SOLUTIONS = 40_000;
/** A relaxation is rounded to plans once per this many branches. */
const ROUNDING_PERIOD = 2;
/** Largest gap between lower and upper bound, relative to the former, at which a branch is pruned. */
const MAX_RELATIVE_GAP = 1e-9;

/**
 * Returns the best acyclic flow of `input` base units; one without used arcs if none is
 * found. If arbitrage makes the best flow contain cycles of tokens, searches by branch
 * and bound: the best plan fits some order of the tokens, so each step splits the orders
 * by which of two tokens comes first, the subproblem of the highest upper bound first.
 */
export function bestAcyclicFlow(
  problem: FlowProblem,
  input: number,
  options: FlowOptions = {},
): AcyclicFlow {
  return new BranchAndBound(problem, input, options).solve();
}

/** A subproblem that is not solved yet, with what its parent branch tells of it. */
type OpenSubproblem = Subproblem & {
  readonly upper: UpperBound;
  readonly parent: Branch;
  /** The parent's flow uses nothing that is excluded here, so its solution is this one's too. */
  readonly isSolved: boolean;
};

class BranchAndBound {
  readonly #problem: FlowProblem;
  readonly #input: number;
  readonly #options: FlowOptions;
  readonly #maxSolutions: number;
  readonly #relaxation: Relaxation;
  /** Upper bounds of the subproblems that were closed. */
  readonly #closedBounds: UpperBound[] = [];
  /** The best branch whose flow is a plan. */
  #best: Branch | undefined;

  constructor(problem: FlowProblem, input: number, options: FlowOptions) {
    this.#problem = problem;
    this.#input = input;
    this.#options = options;
    this.#maxSolutions =
      options.maxSolutions ?? Math.min(MAX_SOLUTIONS, MAX_ARC_SOLUTIONS / problem.arcs.length);
    this.#relaxation = new Relaxation(problem, input, this.#isPruned);
  }

  solve(): AcyclicFlow {
    const { closed = NONE, start } = this.#options;
    const root = { precedence: noPrecedence(this.#problem.nodeCount), closed };
    const first = this.#evaluate(root, { logPrices: start });
    const open: OpenSubproblem[] = [{ ...root, upper: first.upper, parent: first, isSolved: true }];
    for (let branches = 0; open.length > 0; branches++) {
      const next = takeHighest(open);
      if (this.#isPruned(next.upper) || this.#relaxation.solutions > this.#maxSolutions) {
        this.#closedBounds.push(next.upper);
        continue;
      }
      const branch = next.isSolved ? next.parent : this.#evaluate(next, next.parent.warmStart);
      const upper = branch.upper.bound < next.upper.bound ? branch.upper : next.upper;
      if (isPlan(branch) || this.#isPruned(upper)) {
        this.#closedBounds.push(upper);
        continue;
      }
      if (branches % ROUNDING_PERIOD === 0) {
        const ordering = ORDERINGS[(branches / ROUNDING_PERIOD) % ORDERINGS.length];
        if (ordering !== undefined) this.#roundToPlan(branch, next.precedence, ordering);
      }
      this.#improveBest();
      open.push(...this.#split({ ...next, upper }, branch));
    }
    return this.#result(first);
  }

  #result(first: Branch): AcyclicFlow {
    const [problem, input, best] = [this.#problem, this.#input, this.#best];
    const maxInput = problem.isFair ? Number.POSITIVE_INFINITY : input * (1 + INPUT_MARGIN);
    const boundLines = this.#closedBounds.map(
      ({ bound, price }): BoundLine => ({ price, profit: bound - price * input, maxInput }),
    );
    const { flow, solution } = best ?? first;
    const { logPrices, bound: output } = solution;
    if (best === undefined) {
      const { flows } = flow;
      return { flows, used: [], logPrices, rateFloors: undefined, output: 0, boundLines };
    }
    const rateFloors = best === first ? undefined : rateFloorsOf(problem, best);
    return { ...flow, logPrices, rateFloors, output, boundLines };
  }

  /** Returns whether, from the input up to slightly more, no upper bound is above the yield of the best plan. */
  readonly #isPruned: IsPruned = ({ bound, price }) => {
    if (this.#best === undefined) return false;
    const margin = this.#input * INPUT_MARGIN;
    const known = yieldOf(this.#best);
    const { sell } = this.#problem;
    const ahead = known + margin * this.#problem.priceOf(sell, this.#best.solution.logPrices);
    return (
      bound <= known * (1 + MAX_RELATIVE_GAP) &&
      bound + margin * price <= ahead * (1 + MAX_RELATIVE_GAP)
    );
  };

  #evaluate(subproblem: Subproblem, near: WarmStart): Branch {
    const branch = this.#relaxation.solve(subproblem, near);
    const known = this.#best ? yieldOf(this.#best) * (1 + MAX_RELATIVE_GAP) : 0;
    if (isPlan(branch) && yieldOf(branch) > known) this.#best = branch;
    return branch;
  }

  /** Splits a subproblem by the order of two nodes on its cycles, or by which of its rivals is used, if any. */
  #split(subproblem: OpenSubproblem, branch: Branch): readonly OpenSubproblem[] {
    if (branch.cycleEdges.length > 0) return this.#splitByOrder(subproblem, branch);
    const { precedence, closed, upper } = subproblem;
    const { rivalsOf } = this.#relaxation;
    const exclusions = [...branch.rivals.map((rival) => rivalsOf[rival] ?? []), branch.rivals];
    return exclusions.map((excluded) => ({
      precedence,
      closed: new Set([...closed, ...excluded]),
      upper,
      parent: branch,
      isSolved: false,
    }));
  }

  #splitByOrder(subproblem: OpenSubproblem, branch: Branch): readonly OpenSubproblem[] {
    const { closed } = subproblem;
    const { price, bound } = branch.upper;
    const childOf = (precedence: Precedence, isSolved: boolean): OpenSubproblem => {
      const packed = { price, bound: bound - packCycles(precedence, branch.gains).lost };
      const upper = packed.bound < subproblem.upper.bound ? packed : subproblem.upper;
      return { precedence, closed, upper, parent: branch, isSolved };
    };
    const { precedence, isUnchanged } = this.#decideOrders(subproblem, branch);
    const whole = childOf(precedence, false);
    if (this.#isPruned(whole.upper)) {
      this.#closedBounds.push(whole.upper);
      return [];
    }
    const pair = widestPair(branch, precedence);
    // The orders decided may leave no pair undecided.
    if (pair === undefined) return [whole];
    return [pair, pair.toReversed()].map(([first = 0, then = 0]) => {
      const isFree = weightAgainst(precedence, branch.gains, first, then) === 0;
      const ordered = copyOf(precedence);
      putBefore(ordered, first, then);
      const isKept = branch.cycleEdges.every(({ tail, head }) => !comesBefore(ordered, head, tail));
      return childOf(ordered, isUnchanged && isFree && isKept);
    });
  }

  /** Decides the pairs of nodes of which one order loses so much that it is pruned. */
  #decideOrders(
    { precedence }: OpenSubproblem,
    { upper: { bound, price }, gains }: Branch,
  ): { readonly precedence: Precedence; readonly isUnchanged: boolean } {
    const decided = copyOf(precedence);
    const { size } = decided;
    let isUnchanged = true;
    for (let hasDecided = true; hasDecided; ) {
      hasDecided = false;
      const { lost, residual } = packCycles(decided, gains);
      for (const [edge, weight] of residual.entries()) {
        const [tail, head] = [Math.floor(edge / size), edge % size];
        if (weight === 0 || !isUndecided(decided, tail, head)) continue;
        const against = bound - lost - weightAgainst(decided, residual, head, tail);
        const upper = { bound: against, price };
        if (!this.#isPruned(upper)) continue;
        this.#closedBounds.push(upper);
        putBefore(decided, tail, head);
        hasDecided = true;
        isUnchanged = false;
      }
    }
    return { precedence: decided, isUnchanged };
  }

  /** Evaluates an order that suits a branch's flow, with only the largest arc of each pool. */
  #roundToPlan(
    { closed: known, upperFlow, warmStart }: Branch,
    precedence: Precedence,
    ordering: Ordering,
  ): void {
    const ordered = copyOf(precedence);
    const closed = new Set(known);
    const { rivalsOf } = this.#relaxation;
    let flow = upperFlow;
    for (let round = 0; round < MAX_ROUNDINGS; round++) {
      ordering(ordered, this.#problem, flow);
      const { shares } = flow.flows;
      const byShare = [...flow.used].sort((a, b) => (shares[b] ?? 0) - (shares[a] ?? 0));
      for (const arc of byShare) {
        if (!closed.has(arc)) for (const rival of rivalsOf[arc] ?? []) closed.add(rival);
      }
      const next = this.#evaluate({ precedence: ordered, closed }, warmStart);
      // A stricter order only yields less.
      if (isPlan(next) || this.#isPruned(next.upper)) return;
      flow = next.flow;
    }
  }

  #improvedBest: Branch | undefined;

  /** Replaces the best plan by one in a neighbouring order while that yields more. */
  #improveBest(): void {
    const isDone = () =>
      this.#best === this.#improvedBest || this.#relaxation.solutions >= this.#maxSolutions;
    while (!this.#problem.isFair && this.#best !== undefined && !isDone()) {
      this.#improvedBest = this.#best;
      this.#tryNeighbours(this.#best);
    }
  }

  /**
   * Evaluates the neighbouring orders of a plan's, one node moved to another place, that may
   * gain most at the plan's prices: the profit of the arcs that are no longer against the
   * order, less that of those that now are. Stops at the first that is better.
   */
  #tryNeighbours({ closed, solution: { logPrices, bound }, flow }: Branch): void {
    const [problem, input] = [this.#problem, this.#input];
    const { nodeCount: size, sell, buy } = problem;
    const order = orderAlong(edgesOf(problem, flow.flows.shares, flow.used));
    const unused = [...Array(size).keys()].filter((node) => !order.includes(node));
    const row = [...order.slice(0, -1), ...unused, ...order.slice(-1)];
    const unordered = { precedence: noPrecedence(size), closed };
    const { rateFloors } = limitsWithin(problem, unordered, input);
    const gains = weightsOf(problem, arcFlowsAt(problem, input, logPrices, rateFloors).profits);
    const moves: { readonly from: number; readonly to: number; readonly gain: number }[] = [];
    for (const [from, node] of row.entries()) {
      if (node === sell || node === buy) continue;
      for (const step of [1, -1]) {
        let gain = 0;
        for (let to = from + step; to > 0 && to < size - 1; to += step) {
          const other = row[to] ?? 0;
          const before = gains[other * size + node] ?? 0;
          gain += step * (before - (gains[node * size + other] ?? 0));
          if (gain > MIN_RELATIVE_MOVE_GAIN * bound) moves.push({ from, to, gain });
        }
      }
    }
    moves.sort((a, b) => b.gain - a.gain);
    for (const { from, to } of moves.slice(0, MAX_MOVES)) {
      const moved = row.toSpliced(from, 1).toSpliced(to, 0, row[from] ?? 0);
      const branch = this.#evaluate({ precedence: totalOrder(moved), closed }, { logPrices });
      if (branch === this.#best) return;
    }
  }
}

/** Yield that a plan reaches at least, even if its dual prices do not balance exactly: a lower bound. */
function yieldOf({ solution: { bound, residual } }: Branch): number {
  return bound * (1 - residual);
}

function takeHighest(open: OpenSubproblem[]): OpenSubproblem {
  const highest = open.reduce((a, b) => (b.upper.bound > a.upper.bound ? b : a));
  open.splice(open.indexOf(highest), 1);
  return highest;
}

/** Weight of the smaller loss of two orders relative to the larger when the pair to branch on is chosen. */
const SMALLER_LOSS_WEIGHT = 5;

/** Returns the undecided neighbours on a cycle of which both orders lose most. */
function widestPair(
  { cycleEdges, gains }: Branch,
  precedence: Precedence,
): readonly number[] | undefined {
  let widest: readonly number[] | undefined;
  let highest = -1;
  for (const { tail, head } of cycleEdges) {
    if (!isUndecided(precedence, tail, head)) continue;
    const losses = [
      weightAgainst(precedence, gains, tail, head),
      weightAgainst(precedence, gains, head, tail),
    ];
    const score = SMALLER_LOSS_WEIGHT * Math.min(...losses) + Math.max(...losses);
    if (score > highest) [widest, highest] = [[tail, head], score];
  }
  return widest;
}

/** Extends a precedence along the edges of a flow, with its contradictions settled in some way. */
type Ordering = (
  ordered: Precedence,
  problem: FlowProblem,
  flow: { readonly flows: ArcFlows; readonly used: readonly number[] },
) => void;

/** Lets little flow run against the order. */
const alongFlow: Ordering = (ordered, problem, { flows, used }) => {
  const order = orderAlong(edgesOf(problem, flows.shares, used));
  for (const [at, node] of order.entries()) {
    for (const other of order.slice(at + 1)) putBefore(ordered, node, other);
  }
};

/** Adds the edges one after another, the largest gain first. */
const alongGains: Ordering = (ordered, problem, { flows, used }) => {
  const edges = edgesOf(problem, flows.profits, used).sort((a, b) => b.weight - a.weight);
  for (const { tail, head } of edges) putBefore(ordered, tail, head);
};

/** Used in turns: where one finds no good plan, the other often does. */
const ORDERINGS: readonly Ordering[] = [alongFlow, alongGains];

/** Maximum number of times that the cycles which are left are ordered again. */
const MAX_ROUNDINGS = 4;

/** Maximum number of neighbouring orders evaluated per plan. */
const MAX_MOVES = 2;
/** Smallest gain of a move, relative to the plan's yield, that is worth an evaluation. */
const MIN_RELATIVE_MOVE_GAIN = 1e-9;
