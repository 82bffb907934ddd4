import type { Market } from '../market/market.ts';
import { fillExactInput } from './exact-input.ts';
import { fillExactOutput } from './exact-output.ts';
import type { Flow } from './network.ts';
import type { NoRoute, Plan, PlanSwap, TradeRequest } from './plan.ts';
import { searchFor } from './search.ts';

/**
 * Returns the plan that sells `sellAmount` for the most, or buys exactly
 * `buyAmount` for the least, through pools that the router can settle; or why
 * there is none. Pure: equal markets and requests give equal plans.
 *
 * What a market's pools look like from a pair is worked out once and kept with
 * the market, so that later requests are faster.
 */
export function planRoute(market: Market, request: TradeRequest): Plan | NoRoute {
  const { sellToken, buyToken, trade } = request;
  const search = searchFor(market, request);
  if (search === undefined) return { kind: 'no-route', reason: 'disconnected' };
  if (trade.kind === 'exact-input') {
    const pushed = fillExactInput(search, trade.sellAmount);
    if (pushed.kind !== 'filled') {
      const reason = pushed.kind === 'dust' ? 'dust' : 'insufficient-liquidity';
      return { kind: 'no-route', reason };
    }
    return {
      kind: 'plan',
      trade: 'exact-input',
      sellToken,
      buyToken,
      sellAmount: trade.sellAmount,
      buyAmount: pushed.amountOut,
      swaps: pushed.flows.map(swapOf),
    };
  }
  const pulled = fillExactOutput(search, trade.buyAmount);
  if (pulled === undefined) return { kind: 'no-route', reason: 'insufficient-liquidity' };
  return {
    kind: 'plan',
    trade: 'exact-output',
    sellToken,
    buyToken,
    sellAmount: pulled.amountIn,
    buyAmount: trade.buyAmount,
    swaps: pulled.flows.map(swapOf),
  };
}

function swapOf({ pool, tokenIn, tokenOut, amountIn, amountOut }: Flow): PlanSwap {
  return { pool, tokenIn, tokenOut, amountIn, amountOut };
}
