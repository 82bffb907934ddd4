import { at } from '../domain/at.ts';
import { type ArcTrade, emptyTrade, tradeAt } from './arc-trade.ts';
import { add, type FlowProblem } from './flow-problem.ts';

/** Value and derivatives of the dual function at given prices. */
export type DualPoint = {
  /**
   * Natural logarithm of each node's dual price, relative to the problem's reference; 0 for the buy
   * token.
   */
  readonly logPrices: Float64Array;
  /** Dual price of each node in base units of the buy token. */
  readonly prices: Float64Array;
  /** Derivative with respect to each node's log price: the node's excess, valued at its price. */
  readonly gradient: Float64Array;
  /**
   * Value of the dual function: an upper bound on any plan's yield, in base units of the buy token.
   */
  bound: number;
  /** Sum of the absolute values of the gradient. */
  imbalance: number;
};

/** Returns a point at `logPrices` that has not been evaluated yet. */
export function createPoint(logPrices: Float64Array): DualPoint {
  const size = logPrices.length;
  return {
    logPrices: logPrices.slice(),
    prices: new Float64Array(size),
    gradient: new Float64Array(size),
    bound: 0,
    imbalance: 0,
  };
}

/** Margin for rounding: includes arcs that start to trade just off the line. */
const LOG_RATE_MARGIN = 1e-9;

/**
 * The dual function of a problem when `input` base units are sold. An evaluation visits only the
 * arcs that trade somewhere on the line between two points (see {@link restrictTo}), which excludes
 * most arcs.
 */
export class DualFunction {
  readonly problem: FlowProblem;
  readonly input: number;
  /**
   * Hessian at the last evaluated point, without the gradient on the diagonal. Contains the lower
   * half, row by row; see {@link assembleLaplacian}.
   */
  readonly laplacian: Float64Array;
  readonly #rateFloors: Float64Array | undefined;
  /** The first `#activeCount` entries are the active arcs, ascending. */
  readonly #active: Int32Array;
  #activeCount = 0;
  /** Conductance of each active arc; 0 if its trade does not change with its rate. */
  readonly #conductances: Float64Array;
  readonly #trade: ArcTrade = emptyTrade();

  /** @param rateFloors - For each arc, the log rate below which it never trades. Default: none. */
  constructor(problem: FlowProblem, input: number, rateFloors: Float64Array | undefined) {
    const arcCount = problem.tails.length;
    this.problem = problem;
    this.input = input;
    this.#rateFloors = rateFloors;
    this.laplacian = new Float64Array(problem.nodeCount ** 2);
    this.#active = new Int32Array(arcCount);
    this.#conductances = new Float64Array(arcCount);
  }

  /** Restricts later evaluations to points on the line between two points. */
  restrictTo(from: Float64Array, to: Float64Array): void {
    const { startLogRate, tails, heads } = this.problem;
    const [floors, active] = [this.#rateFloors, this.#active];
    let count = 0;
    for (let arc = 0; arc < tails.length; arc++) {
      const tail = at(tails, arc);
      const head = at(heads, arc);
      const start = at(startLogRate, arc);
      const lowest = Math.min(at(from, tail) - at(from, head), at(to, tail) - at(to, head));
      if (!(start > lowest - LOG_RATE_MARGIN)) continue;
      if (floors !== undefined && !(start > at(floors, arc))) continue;
      active[count] = arc;
      count++;
    }
    this.#activeCount = count;
  }

  /** Computes all other fields of `point` from its `logPrices`, which must lie on the line. */
  evaluate(point: DualPoint): void {
    const { problem, input } = this;
    const { sell, buy, referenceLogPrice, tails, heads, startLogRate } = problem;
    const { logPrices, prices, gradient } = point;
    const [floors, active, conductances] = [this.#rateFloors, this.#active, this.#conductances];
    const trade = this.#trade;
    for (let node = 0; node < prices.length; node++) {
      prices[node] = Math.exp(at(logPrices, node) + at(referenceLogPrice, node));
    }
    gradient.fill(0);
    let bound = input * at(prices, sell);
    gradient[sell] = bound;
    for (let index = 0; index < this.#activeCount; index++) {
      const arc = at(active, index);
      const tail = at(tails, arc);
      const head = at(heads, arc);
      const logRate = at(logPrices, tail) - at(logPrices, head);
      const floor = floors === undefined ? logRate : (floors[arc] ?? logRate);
      const stopped = Math.max(floor, logRate);
      conductances[index] = 0;
      if (!(at(startLogRate, arc) > stopped)) continue;
      tradeAt(problem, arc, stopped, trade);
      const { growth, amountIn, amountOut } = trade;
      const priceIn = at(prices, tail);
      const priceOut = at(prices, head);
      if (growth > 0 && stopped === logRate) {
        conductances[index] = (priceIn * trade.depthIn * (1 + growth)) / 2;
      }
      bound += priceOut * amountOut - priceIn * amountIn;
      add(gradient, tail, -priceIn * amountIn);
      add(gradient, head, priceOut * amountOut);
    }
    gradient[buy] = 0;
    let imbalance = 0;
    for (let node = 0; node < gradient.length; node++) imbalance += Math.abs(at(gradient, node));
    point.bound = bound;
    point.imbalance = imbalance;
  }

  /** Writes the Laplacian at the last evaluated point. Its weights are the arcs' conductances. */
  assembleLaplacian(): void {
    const { laplacian } = this;
    const { nodeCount: size, buy, tails, heads } = this.problem;
    laplacian.fill(0);
    for (let index = 0; index < this.#activeCount; index++) {
      const conductance = at(this.#conductances, index);
      if (conductance === 0) continue;
      const arc = at(this.#active, index);
      const tail = at(tails, arc);
      const head = at(heads, arc);
      add(laplacian, tail * size + tail, conductance);
      add(laplacian, head * size + head, conductance);
      // The buy token's price is fixed, so it is not an unknown.
      if (head === buy) continue;
      add(laplacian, tail > head ? tail * size + head : head * size + tail, -conductance);
    }
  }
}
