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
import { MAKER_SOURCE } from './pools/maker-order.ts';
import type { PoolMarket } from './prices/pool-market.ts';
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
export function planRoute(market: PoolMarket, request: RoutingRequest): ProvenPlan | NoRoute {
  const plan = planAmong(market, request);
  // Where swaps cost gas, round, or are few, the search may find less among more of them.
  if (!market.pools.some(({ source }) => source === MAKER_SOURCE)) return plan;
  const { constraints } = request;
  const sources = new Set(constraints.sources);
  sources.delete(MAKER_SOURCE);
  return betterOf(
    plan,
    planAmong(market, { ...request, constraints: { ...constraints, sources } }),
  );
}

/** Returns a plan, or one that does without orders if that is better; no plan betters the bound that counts them. */
function betterOf(plan: ProvenPlan | NoRoute, without: ProvenPlan | NoRoute): ProvenPlan | NoRoute {
  if (without.kind === 'no-route') return plan;
  if (plan.kind === 'plan' && costOf(plan) <= costOf(without)) return plan;
  const bound = plan.kind === 'plan' ? plan.proof.bound : UNBOUND[without.swapKind];
  return { ...without, proof: proofOf(without, bound) };
}

/** What is sold without what is bought, of which the one is the same for all plans, and gas. */
function costOf({ sellAmount, buyAmount, gas }: ProvenPlan): bigint {
  return sellAmount - buyAmount + (gas.cost ?? 0n);
}

function planAmong(market: PoolMarket, request: RoutingRequest): ProvenPlan | NoRoute {
  const { sellToken, buyToken, swapKind, amount } = request;
  const search = searchFor(market, request);
  if (search === undefined) return { kind: 'no-route', reason: 'disconnected' };
  const bill = billOf(market, request, search.bestPrice);
  const planOf = (
    sellAmount: bigint,
    buyAmount: bigint,
    flows: readonly Flow[],
    supports: readonly Support[],
  ): ProvenPlan => {
    const amounts = { swapKind, sellAmount, buyAmount };
    return {
      kind: 'plan',
      ...amounts,
      sellToken,
      buyToken,
      swaps: flows.map(swapOf),
      proof: proofOf(amounts, boundBy(amounts, supports)),
      gas: bill.gasOf(flows),
    };
  };
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
function boundBy(
  { swapKind, sellAmount, buyAmount }: Amounts,
  supports: readonly Support[],
): number {
  if (supports.length === 0) return UNBOUND[swapKind];
  return swapKind === 'exact-input'
    ? boundOf(supports, Number(sellAmount))
    : leastFor(supports, Number(buyAmount));
}

const UNBOUND = { 'exact-input': Number.POSITIVE_INFINITY, 'exact-output': 0 };

type Amounts = Pick<RoutingPlan, 'swapKind' | 'sellAmount' | 'buyAmount'>;

function proofOf({ swapKind, sellAmount, buyAmount }: Amounts, bound: number): Proof {
  const isInput = swapKind === 'exact-input';
  const gap = isInput ? 1 - Number(buyAmount) / bound : 1 - bound / Number(sellAmount);
  return { bound, gap };
}

function swapOf({ pool, tokenIn, tokenOut, amountIn, amountOut }: Flow): PlanSwap {
  return { pool, tokenIn, tokenOut, amountIn, amountOut };
}
