import type { Market } from '../market/market.ts';
import type { Support } from './dual/acyclic-flow.ts';
import type { Flow } from './graph/network.ts';
import type {
  NoRoute,
  PlanSwap,
  Proof,
  ProvenPlan,
  RoutingPlan,
  RoutingRequest,
} from './graph/plan.ts';
import { searchFor } from './search/search.ts';
import { billOf } from './settle/bill.ts';
import { boundOf, fillExactInput, leastFor } from './settle/exact-input.ts';
import { fillExactOutput } from './settle/exact-output.ts';

/**
 * Returns the plan that sells exactly `amount` for the most, or buys exactly
 * `amount` for the least, once the gas of its swaps is paid, through pools that
 * the router can settle; or why there is none. Pure: equal markets and requests
 * give equal plans.
 *
 * What a market's pools look like from a pair is worked out once and kept with
 * the market, so that later requests are faster.
 */
export function planRoute(market: Market, request: RoutingRequest): ProvenPlan | NoRoute {
  const { sellToken, buyToken, swapKind, amount } = request;
  const search = searchFor(market, request);
  if (search === undefined) return { kind: 'no-route', reason: 'disconnected' };
  const bill = billOf(market, request, search.bestPrice);
  const planOf = (
    sellAmount: bigint,
    buyAmount: bigint,
    flows: readonly Flow[],
    supports: readonly Support[],
  ): ProvenPlan => ({
    kind: 'plan',
    swapKind,
    sellToken,
    buyToken,
    sellAmount,
    buyAmount,
    swaps: flows.map(swapOf),
    proof: proofOf({ swapKind, sellAmount, buyAmount }, supports),
    gas: bill.gasOf(flows),
  });
  if (swapKind === 'exact-input') {
    const filled = fillExactInput(search, amount, bill);
    if (filled.kind === 'filled') {
      return planOf(amount, filled.amountOut, filled.flows, filled.supports?.() ?? []);
    }
    const reason = filled.kind === 'dust' ? 'dust' : 'insufficient-liquidity';
    return { kind: 'no-route', reason };
  }
  const bought = fillExactOutput(search, amount, bill);
  if (bought === undefined) return { kind: 'no-route', reason: 'insufficient-liquidity' };
  return planOf(bought.amountIn, amount, bought.flows, bought.supports());
}

/** What one order of the tokens may yield, another may not: the best of all bounds the plan. */
function proofOf(
  { swapKind, sellAmount, buyAmount }: Pick<RoutingPlan, 'swapKind' | 'sellAmount' | 'buyAmount'>,
  supports: readonly Support[],
): Proof {
  const [sold, bought] = [Number(sellAmount), Number(buyAmount)];
  const isInput = swapKind === 'exact-input';
  if (supports.length === 0) return { bound: isInput ? Number.POSITIVE_INFINITY : 0, gap: 1 };
  if (isInput) {
    const bound = boundOf(supports, sold);
    return { bound, gap: 1 - bought / bound };
  }
  const bound = leastFor(supports, bought);
  return { bound, gap: 1 - bound / sold };
}

function swapOf({ pool, tokenIn, tokenOut, amountIn, amountOut }: Flow): PlanSwap {
  return { pool, tokenIn, tokenOut, amountIn, amountOut };
}
