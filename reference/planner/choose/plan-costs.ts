import type { Address } from '../domain/address.ts';
import type { Arc } from '../graph/arc.ts';
import type { Flow } from '../graph/network.ts';
import type { PlanGas, RoutingRequest } from '../graph/plan.ts';
import { costOfGas, type GasCost } from '../prices/gas-cost.ts';
import type { SwapCosts } from '../search/search.ts';

/** Costs and limits of the plans for a request, except their amounts. */
export type PlanCosts = {
  readonly swapCosts: SwapCosts;
  /** Returns whether a plan with fewer swaps may be better. */
  readonly wantsFewerSwaps: (flows: readonly Flow[]) => boolean;
  /** Returns whether the router settles this number of swaps. */
  readonly isAllowed: (flows: readonly Flow[]) => boolean;
  /** Returns the cost of gas in base units of the side that is not exact, rounded up; 0 if gas is ignored. */
  readonly costOf: (flows: readonly Flow[]) => bigint;
  /** Returns a lower bound on the cost of gas, regardless of the amounts, as a float. */
  readonly minCostOf: (arcs: readonly Arc[]) => number;
  readonly gasOf: (flows: readonly Flow[]) => PlanGas;
};

/** Large enough for its cost to be divided as a float. */
const GAS_SAMPLE = 10n ** 12n;

/**
 * @param gasCostOf - Returns the price of a unit of gas in a token; `undefined` if none is known.
 * @param bestRate - Output per input of the request's best path.
 */
export function planCostsOf(
  { sellToken, buyToken, swapKind, constraints }: RoutingRequest,
  priceWei: bigint,
  gasCostOf: (token: Address) => GasCost | undefined,
  bestRate: number,
): PlanCosts {
  const { maxSwaps = Number.POSITIVE_INFINITY, swapGas = { first: 0, later: 0 } } = constraints;
  const sells = swapKind === 'exact-input';
  const price = priceWei === 0n ? undefined : gasCostOf(sells ? buyToken : sellToken);
  const perGas = price ? Number(costOfGas(price, GAS_SAMPLE)) / Number(GAS_SAMPLE) : 0;
  const routerGas = (tokenIn: Address) => (tokenIn === sellToken ? swapGas.first : swapGas.later);
  /** Needed while plans compete, and again for the best one. */
  const known = new Map<readonly Flow[], PlanGas>();
  const gasOf = (flows: readonly Flow[]): PlanGas => {
    let gas = known.get(flows);
    if (gas === undefined) {
      let used = 0;
      for (const { link, tokenIn, amountIn } of flows) {
        used += routerGas(tokenIn) + link.arc.curve.gas(amountIn, 0);
      }
      const units = BigInt(Math.ceil(used));
      gas = { units, priceWei, ...(price && { cost: costOfGas(price, units) }) };
      known.set(flows, gas);
    }
    return gas;
  };
  return {
    swapCosts: { perGas: sells ? perGas : perGas * bestRate, swapGas, maxSwaps },
    wantsFewerSwaps: (flows) => price !== undefined || flows.length > maxSwaps,
    isAllowed: (flows) => flows.length <= maxSwaps,
    costOf: (flows) => (price ? (gasOf(flows).cost ?? 0n) : 0n),
    minCostOf: (arcs) =>
      perGas * arcs.reduce((sum, arc) => sum + routerGas(arc.tokenIn) + arc.minGas, 0),
    gasOf,
  };
}
