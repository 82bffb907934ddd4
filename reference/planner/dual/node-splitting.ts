import { at } from '../domain/at.ts';
import { columnsOf } from '../graph/arc.ts';
import { type ArcFlows, arcFlowsAt } from './arc-flows.ts';
import { solveDual } from './dual-solver.ts';
import { add, FlowProblem } from './flow-problem.ts';
import { INPUT_MARGIN } from './rate-floors.ts';

/*
 * Without cycles, the most that a node can pass on is the whole input, converted along the best
 * path to the node. In a flow with cycles, each pool at the node may pass on that much. To cap the
 * node's throughput, it is split in two: one half takes its inflow, the other emits its outflow. An
 * arc of limited capacity, which trades one for one, joins the halves.
 */

/**
 * The log rate of a joining arc falls by this much as the arc fills. A constant rate would put a
 * kink into the dual function, where Newton's method fails. The average rate is one for one, so the
 * arc costs plans nothing.
 */
const JOINING_LOG_FALL = 1e-6;

/**
 * If no node exceeds its maximum throughput by more than this fraction, solving again with caps is
 * not worthwhile.
 */
const MAX_EXCESS_THROUGHPUT = 1e-3;

type CappedFlow = {
  readonly bound: number;
  readonly price: number;
  readonly flows: ArcFlows;
  readonly logPrices: Float64Array;
  /** Dual prices of all nodes of the split problem, as a warm start. */
  readonly splitLogPrices: Float64Array;
};

type CapOptions = {
  readonly rateFloors: Float64Array;
  readonly maxLogFlow: Float64Array;
  readonly logPrices: Float64Array;
  readonly start: Float64Array | undefined;
  readonly isLowEnough: (bound: number, price: number) => boolean;
};

/** A problem in which every node except the sell and the buy token is split in two. */
export class NodeSplitProblem {
  readonly #original: FlowProblem;
  /** Lacks the columns of the joining arcs, because they depend on the caps. */
  readonly #split: FlowProblem;
  /** The nodes that were split, in the order of their joining arcs. These follow all other arcs. */
  readonly #joined: readonly number[];
  /**
   * For each node, the node of the split problem that emits its outflow. The node itself takes the
   * inflow.
   */
  readonly #exit: Int32Array;

  constructor(original: FlowProblem) {
    const { nodeCount, sell, buy, tails, heads, referenceLogPrice } = original;
    const joined = [...Array(nodeCount).keys()].filter((node) => node !== sell && node !== buy);
    const other = Int32Array.from(Array(nodeCount).keys());
    for (const [index, node] of joined.entries()) other[node] = nodeCount + index;
    const splitTails = [...[...tails].map((node) => at(other, node)), ...joined];
    const splitHeads = [...heads, ...joined.map((node) => at(other, node))];
    const joinedPrices = joined.map((node) => at(referenceLogPrice, node));
    const extended = (column: Float64Array, filling: number) =>
      new Float64Array(splitTails.length).map((_, arc) => column[arc] ?? filling);
    this.#original = original;
    this.#joined = joined;
    this.#exit = other;
    this.#split = new FlowProblem({
      ...original,
      nodeCount: nodeCount + joined.length,
      tails: Int32Array.from(splitTails),
      heads: Int32Array.from(splitHeads),
      referenceLogPrice: Float64Array.from([...referenceLogPrice, ...joinedPrices]),
      referenceLogRate: extended(original.referenceLogRate, 0),
      startLogRate: extended(original.startLogRate, JOINING_LOG_FALL),
    });
  }

  /** Returns the best flow in which each node passes on at most its `maxLogFlow`. */
  solve(
    input: number,
    { rateFloors, maxLogFlow, logPrices, start, isLowEnough }: CapOptions,
  ): CappedFlow {
    const problem = this.#cappedTo(maxLogFlow);
    const from = start ?? new Float64Array(problem.nodeCount);
    for (const [node, price] of start ? [] : logPrices.entries()) {
      from[node] = from[at(this.#exit, node)] = price;
    }
    const floors = new Float64Array(problem.tails.length).fill(Number.NEGATIVE_INFINITY);
    floors.set(rateFloors);
    const solution = solveDual(problem, input, { start: from, rateFloors: floors, isLowEnough });
    const flows = arcFlowsAt(problem, input, solution.logPrices, floors);
    const own = (column: Float64Array) => column.subarray(0, rateFloors.length);
    return {
      bound: solution.bound,
      price: problem.priceOf(problem.sell, solution.logPrices),
      flows: {
        ...flows,
        inputs: own(flows.inputs),
        shares: own(flows.shares),
        profits: own(flows.profits),
      },
      logPrices: solution.logPrices.subarray(0, logPrices.length),
      splitLogPrices: solution.logPrices,
    };
  }

  #cappedTo(maxLogFlow: Float64Array): FlowProblem {
    const joining = this.#joined.map((node) => {
      const depthIn = Math.exp(at(maxLogFlow, node)) / Math.expm1(JOINING_LOG_FALL);
      const depthOut = depthIn * Math.exp(JOINING_LOG_FALL);
      return columnsOf([{ logRate: JOINING_LOG_FALL, span: JOINING_LOG_FALL, depthIn, depthOut }]);
    });
    const columns = [...this.#original.columns, ...joining];
    return new FlowProblem({ ...this.#split, columns });
  }
}

/** Returns whether a node other than the sell token exceeds its maximum throughput. */
export function exceedsThroughput(
  { nodeCount, sell, tails }: FlowProblem,
  { inputs }: ArcFlows,
  maxLogFlow: Float64Array,
): boolean {
  const passed = new Float64Array(nodeCount);
  for (const [arc, amount] of inputs.entries()) add(passed, at(tails, arc), amount);
  return passed.some(
    (amount, node) =>
      node !== sell && amount > Math.exp(at(maxLogFlow, node)) * (1 + MAX_EXCESS_THROUGHPUT),
  );
}

/**
 * Returns the maximum throughput of each node at its price. The amount at a node is worth at most
 * the bound, less the profits of the arcs after the node.
 */
export function lowerThroughput(
  { sell, tails, referenceLogPrice }: FlowProblem,
  maxLogFlow: Float64Array,
  { bound, logPrices, flows }: Pick<CappedFlow, 'bound' | 'logPrices' | 'flows'>,
): Float64Array {
  const worth = new Float64Array(maxLogFlow.length).fill(bound * (1 + INPUT_MARGIN));
  for (const [arc, profit] of flows.profits.entries()) add(worth, at(tails, arc), -profit);
  return maxLogFlow.map((known, node) => {
    const logPrice = at(logPrices, node) + at(referenceLogPrice, node);
    return node === sell ? known : Math.min(known, Math.log(at(worth, node)) - logPrice);
  });
}
