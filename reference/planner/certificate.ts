import type { Address } from './domain/address.ts';
import { at } from './domain/at.ts';
import { emptyTrade, tradeAt } from './dual/arc-trade.ts';
import { solveDual } from './dual/dual-solver.ts';
import { type FlowProblem, flowProblemOf } from './dual/flow-problem.ts';
import { MarketGraph } from './graph/market-graph.ts';
import type { RoutingPlan, RoutingRequest } from './graph/plan.ts';
import type { PoolMarket } from './prices/pool-market.ts';

/**
 * Dual prices with which anyone who knows the pools can check a plan's quality. At these prices,
 * each pool trades until trading more gains nothing. By weak duality, no plan yields more than the
 * sum of the pools' gains plus the value of the amount sold.
 */
export type Certificate = {
  /**
   * Price of a base unit of each token that lies on a path from the sell token to the buy token, in
   * base units of the buy token.
   */
  readonly prices: ReadonlyMap<Address, number>;
  /**
   * Upper bound on any plan's output (exact input), or lower bound on any plan's input (exact
   * output). The bound also holds for plans with cycles.
   */
  readonly bound: number;
};

/** Returns the certificate of a plan for a request. */
export function certify(
  market: PoolMarket,
  { constraints, sellToken, buyToken, swapKind }: RoutingRequest,
  plan: RoutingPlan,
): Certificate {
  const graph = new MarketGraph(market.pools);
  const problem = flowProblemOf(graph.between(constraints.sources, sellToken, buyToken));
  const input = Number(plan.sellAmount);
  const { logPrices, bound: solved } = solveDual(problem, input);
  const prices = new Map(
    problem.tokens.map((token, node) => [token, problem.priceOf(node, logPrices)]),
  );
  const bound = solved + roundingOf(problem, logPrices);
  if (swapKind === 'exact-input') return { prices, bound };
  const price = problem.priceOf(problem.sell, logPrices);
  return { prices, bound: Math.max(0, input - (bound - Number(plan.buyAmount)) / price) };
}

/** Relative rounding error of a price. */
const PRICE_ERROR = 2 ** -47;

/**
 * Returns an upper bound on the gain that rounding errors of the prices may hide. If a trade of a
 * few base units meets pools that hold 1e27 base units, these errors cause most of the gain, since
 * floats cannot represent the pools' prices more exactly.
 */
function roundingOf(problem: FlowProblem, logPrices: Float64Array): number {
  const { arcs, tails, heads, columns } = problem;
  const trade = emptyTrade();
  let rounding = 0;
  for (let arc = 0; arc < arcs.length; arc++) {
    const [tail, head] = [at(tails, arc), at(heads, arc)];
    const trades = tradeAt(problem, arc, at(logPrices, tail) - at(logPrices, head), trade);
    const amountIn = trades ? trade.amountIn : 0;
    const depthIn = trades ? trade.depthIn : (columns[arc]?.depthIn[0] ?? 0);
    // Error in the value of the traded amount, and of the change in that amount that the price
    // error causes.
    const error = (amountIn + depthIn * PRICE_ERROR) * PRICE_ERROR;
    rounding += problem.priceOf(tail, logPrices) * error;
  }
  return rounding;
}
