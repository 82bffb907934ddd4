import type { Market } from '../market/market.ts';
import { fillExactInput } from './exact-input.ts';
import { fillExactOutput } from './exact-output.ts';
import type { Flow } from './network.ts';
import type { NoRoute, PlanSwap, RoutingPlan, RoutingRequest } from './plan.ts';
import { searchFor } from './search.ts';

/**
 * Returns the plan that sells exactly `amount` for the most, or buys exactly
 * `amount` for the least, through pools that the router can settle; or why
 * there is none. Pure: equal markets and requests give equal plans.
 *
 * What a market's pools look like from a pair is worked out once and kept with
 * the market, so that later requests are faster.
 */
export function planRoute(market: Market, request: RoutingRequest): RoutingPlan | NoRoute {
  const { sellToken, buyToken, swapKind, amount } = request;
  const search = searchFor(market, request);
  if (search === undefined) return { kind: 'no-route', reason: 'disconnected' };
  const planOf = (sellAmount: bigint, buyAmount: bigint, flows: readonly Flow[]): RoutingPlan => {
    const swaps = flows.map(swapOf);
    return { kind: 'plan', swapKind, sellToken, buyToken, sellAmount, buyAmount, swaps };
  };
  if (swapKind === 'exact-input') {
    const pushed = fillExactInput(search, amount);
    if (pushed.kind === 'filled') return planOf(amount, pushed.amountOut, pushed.flows);
    const reason = pushed.kind === 'dust' ? 'dust' : 'insufficient-liquidity';
    return { kind: 'no-route', reason };
  }
  const pulled = fillExactOutput(search, amount);
  if (pulled === undefined) return { kind: 'no-route', reason: 'insufficient-liquidity' };
  return planOf(pulled.amountIn, amount, pulled.flows);
}

function swapOf({ pool, tokenIn, tokenOut, amountIn, amountOut }: Flow): PlanSwap {
  return { pool, tokenIn, tokenOut, amountIn, amountOut };
}
