import type { Address } from '../domain/address.ts';
import type { Arc } from '../graph/arc.ts';
import type { Flow } from '../graph/network.ts';
import type { PlanGas, RoutingRequest } from '../graph/plan.ts';
import { costOfGas, type GasCost } from '../prices/gas-cost.ts';
import type { SwapCosts } from '../search/search.ts';

/** Costs of plans for a request, and limits on their swaps. */
export type PlanCosts = {
  readonly swapCosts: SwapCosts;
  /** Returns whether a plan with fewer swaps may be better. */
  readonly wantsFewerSwaps: (flows: readonly Flow[]) => boolean;
  /** Returns whether the router can settle this number of swaps. */
  readonly isAllowed: (flows: readonly Flow[]) => boolean;
  /**
   * Returns the cost of gas, rounded up, in the buy token for exact input or the sell token for
   * exact output; 0 if gas is ignored.
   */
  readonly costOf: (flows: readonly Flow[]) => bigint;
  /** Returns a lower bound on the gas cost of these arcs, whatever the amounts. */
  readonly minCostOf: (arcs: readonly Arc[]) => number;
  readonly gasOf: (flows: readonly Flow[]) => PlanGas;
};

/**
 * Returns the candidate with the smallest total. If two have the same total, prefers the candidate
 * with fewer swaps.
 */
export function cheapestOf<Candidate extends { readonly flows: readonly Flow[] }>(
  [first, ...others]: readonly Candidate[],
  totalOf: (candidate: Candidate) => bigint,
): Candidate | undefined {
  if (first === undefined || others.length === 0) return first;
  let [best, bestTotal] = [first, totalOf(first)];
  for (const other of others) {
    const total = totalOf(other);
    const hasFewerSwaps = other.flows.length < best.flows.length;
    if (total < bestTotal || (total === bestTotal && hasFewerSwaps)) {
      [best, bestTotal] = [other, total];
    }
  }
  return best;
}

/** Amount of gas from which the float price of a unit is computed. */
const GAS_SAMPLE = 10n ** 12n;

/**
 * @param gasCostOf - Returns the price of a unit of gas in a token; `undefined` if unknown.
 * @param bestRate - Output per input along the best path for the request.
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
  const gasOf = (flows: readonly Flow[]): PlanGas => {
    let used = 0;
    for (const { link, tokenIn, amountIn } of flows) {
      used += routerGas(tokenIn) + link.arc.curve.gas(amountIn, 0);
    }
    const units = BigInt(Math.ceil(used));
    return { units, priceWei, ...(price && { cost: costOfGas(price, units) }) };
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
