import type { Address } from './domain/address.ts';
import { solveDual } from './dual/dual-solver.ts';
import { type FlowProblem, flowProblemOf, priceOf } from './dual/flow-problem.ts';
import { emptyTrade, tradeAt } from './dual/hop-trade.ts';
import type { Hop } from './graph/hop.ts';
import type { RoutingPlan, RoutingRequest } from './graph/plan.ts';
import { pairOf } from './graph/pool-graph.ts';
import type { PoolMarket } from './prices/pool-market.ts';

/**
 * Prices that prove how good a plan is, to anyone who knows the pools: let each
 * pool trade for itself at these prices until it gains no more. No plan can bring
 * more than all of these gains and what is sold, at its price.
 */
export type Certificate = {
  /** Of a base unit of each token on a way from the sell token to the buy token, in base units of the buy token. */
  readonly prices: ReadonlyMap<Address, number>;
  /** With exact input the most that any plan buys, with exact output the least that any sells, as these prices prove; plans in circles count too. */
  readonly bound: number;
};

/** Returns the certificate of a plan for a request that was made of the market. */
export function certify(
  market: PoolMarket,
  request: RoutingRequest,
  plan: RoutingPlan,
): Certificate {
  const { constraints, sellToken, buyToken, swapKind } = request;
  const problem = flowProblemOf(pairOf(market, constraints.sources, sellToken, buyToken));
  const input = Number(plan.sellAmount);
  const dual = solveDual(problem, input);
  const { logValues } = dual;
  const prices = new Map(
    problem.tokens.map((token, node) => [token, priceOf(problem, node, logValues)]),
  );
  const bends = problem.hops.reduce((sum, hop) => sum + bendOf(hop, prices), 0);
  const bound = dual.bound - bends + roundingOf(problem, logValues);
  if (swapKind === 'exact-input') return { prices, bound };
  const price = priceOf(problem, problem.sell, logValues);
  return { prices, bound: Math.max(0, input - (bound - Number(plan.buyAmount)) / price) };
}

/** How far a price is from what it was worked out as, as part of it: the last places of its logarithm. */
const ROUNDING = 2 ** -47;

/**
 * What pools may gain at these prices beside what floats tell. Of a trade of a few
 * base units that is most of it, where pools hold 1e27: their prices are not told
 * apart any nearer.
 */
function roundingOf(problem: FlowProblem, logValues: Float64Array): number {
  const { hops, hopIn, hopOut, firstDepthIn } = problem;
  const trade = emptyTrade();
  let rounding = 0;
  for (let hop = 0; hop < hops.length; hop++) {
    const [tail, head] = [hopIn[hop] ?? 0, hopOut[hop] ?? 0];
    const trades = tradeAt(problem, hop, (logValues[tail] ?? 0) - (logValues[head] ?? 0), trade);
    const { amountIn, depthIn } = trades ? trade : { amountIn: 0, depthIn: firstDepthIn[hop] ?? 0 };
    // What it trades times the error of its price, and what it trades more or less for that.
    rounding += priceOf(problem, tail, logValues) * (amountIn + depthIn * ROUNDING) * ROUNDING;
  }
  return rounding;
}

/** What an order gains at these prices only because the solver takes it to be bent: its price is the same to its end. */
function bendOf({ pool, tokenIn, tokenOut, segments }: Hop, prices: Certificate['prices']): number {
  const [segment] = segments;
  if (pool.family !== 'maker-order' || segment === undefined) return 0;
  const { logPrice, depthIn, depthOut, span } = segment;
  const [priceIn, priceOut] = [prices.get(tokenIn) ?? 0, prices.get(tokenOut) ?? 0];
  const gainAt = (grown: number) =>
    (priceOut * depthOut * grown) / (1 + grown) - priceIn * depthIn * grown;
  const wanted = (logPrice + Math.log(priceOut / priceIn)) / 2;
  const bent = gainAt(Math.expm1(Math.min(span, Math.max(0, wanted))));
  return bent - Math.max(0, gainAt(Math.expm1(span)));
}
