import { at } from '../domain/at.ts';
import { type ArcTrade, emptyTrade, tradeAt } from './arc-trade.ts';
import { add, type FlowProblem } from './flow-problem.ts';

/** Value and derivatives of the dual function at some prices. */
export type DualPoint = {
  /** Natural logarithm of each node's dual price, relative to the problem's reference; 0 for the buy token. */
  readonly logPrices: Float64Array;
  /** Dual price of each node in base units of the buy token. */
  readonly prices: Float64Array;
  /** Excess of each node, valued at the node's price: the derivative with respect to its log price. */
  readonly gradient: Float64Array;
  /** Value of the dual function: an upper bound on any plan's yield, in base units of the buy token. */
  bound: number;
  /** Sum of the gradient's absolute values. */
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

/** Includes arcs that start to trade within rounding of the line. */
const LOG_RATE_MARGIN = 1e-9;

/**
 * The dual function of a problem for `input` base units sold. An evaluation visits only the arcs that trade somewhere
 * on the line between two points (see {@link restrictTo}). Most arcs trade nowhere on it.
 */
export class DualFunction {
  readonly problem: FlowProblem;
  readonly input: number;
  /**
   * Lower half, row by row, of the Hessian at the last evaluated point, without the diagonal's
   * gradient; see {@link assembleLaplacian}.
   */
  readonly laplacian: Float64Array;
  readonly #rateFloors: Float64Array | undefined;
  /** The first `#activeCount` entries are the active arcs, ascending. */
  readonly #active: Int32Array;
  #activeCount = 0;
  /** By active arc; 0 if its rate does not change. */
  readonly #conductances: Float64Array;
  readonly #trade: ArcTrade = emptyTrade();

  /** @param rateFloors - Log rate below which each arc never trades. Default: none. */
  constructor(problem: FlowProblem, input: number, rateFloors: Float64Array | undefined) {
    const arcCount = problem.tails.length;
    this.problem = problem;
    this.input = input;
    this.#rateFloors = rateFloors;
    this.laplacian = new Float64Array(problem.nodeCount ** 2);
    this.#active = new Int32Array(arcCount);
    this.#conductances = new Float64Array(arcCount);
  }

  /** Restricts evaluations to the points between two points. */
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

  /** Computes all fields of `point` from its `logPrices`, which lie on the line. */
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

  /** Writes the Laplacian of the arcs at the last evaluated point, weighted by the conductances. */
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
      // The price of the buy token is fixed.
      if (head === buy) continue;
      add(laplacian, tail > head ? tail * size + head : head * size + tail, -conductance);
    }
  }
}
