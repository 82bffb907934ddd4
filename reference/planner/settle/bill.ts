import type { Address } from '../domain/address.ts';
import { keptWith } from '../domain/kept-with.ts';
import type { Hop } from '../graph/hop.ts';
import type { Flow } from '../graph/network.ts';
import type { PlanGas, RoutingRequest } from '../graph/plan.ts';
import { costOfGas, type GasCost, gasCostIn } from '../prices/gas-cost.ts';
import type { PoolMarket } from '../prices/pool-market.ts';
import type { Fees } from '../search/net-of-gas.ts';

type Swaps = readonly Flow[];

/** What plans are held to besides their amounts. */
export type Bill = {
  /** For the search. */
  readonly fees: Fees;
  /** Whether some other plan may be better for its fewer swaps. */
  readonly wantsFewer: (plan: { readonly flows: Swaps }) => boolean;
  readonly isAllowed: (plan: { readonly flows: Swaps }) => boolean;
  /** Gas of the swaps in base units of the side that is not exact, rounded up; 0 where it is not counted. */
  readonly costOf: (swaps: Swaps) => bigint;
  /** What swaps through these cost at least, whatever their amounts: as a float, in the same units. */
  readonly leastCostOf: (hops: readonly Hop[]) => number;
  readonly gasOf: (swaps: Swaps) => PlanGas;
};

/** So many units of gas at once, so that their cost is exact enough as a float. */
const MANY = 10n ** 12n;

const NO_GAS = { first: 0, later: 0 };

const perGasAt = keptWith((price: GasCost) => Number(costOfGas(price, MANY)) / Number(MANY));

/** Gas of the least swap: more never takes less. */
const leastGasOf = keptWith(({ curve }: Hop) => curve.gas(1n, 0));

/** Returns the bill for a request whose best path gives `bestPrice` for a base unit. */
export function billOf(market: PoolMarket, request: RoutingRequest, bestPrice: number): Bill {
  const { sellToken, buyToken, swapKind, constraints } = request;
  const { gasPriceWei: priceWei = market.gasPriceWei ?? 0n } = request;
  const { maxSwaps = Number.POSITIVE_INFINITY, swapGas = NO_GAS } = constraints;
  const sells = swapKind === 'exact-input';
  const price: GasCost | undefined =
    priceWei === 0n ? undefined : gasCostIn(market, sells ? buyToken : sellToken, priceWei);
  const perGas = price ? perGasAt(price) : 0;
  const forRouter = (tokenIn: Address) => (tokenIn === sellToken ? swapGas.first : swapGas.later);
  /** Asked of what competes, and again of what is best. */
  const known = new Map<Swaps, PlanGas>();
  const gasOf = (swaps: Swaps): PlanGas => {
    const kept = known.get(swaps);
    if (kept !== undefined) return kept;
    let used = 0;
    for (const { arc, tokenIn, amountIn } of swaps) {
      used += forRouter(tokenIn) + arc.hop.curve.gas(amountIn, 0);
    }
    const units = BigInt(Math.ceil(used));
    const gas = { units, priceWei, ...(price && { cost: costOfGas(price, units) }) };
    known.set(swaps, gas);
    return gas;
  };
  return {
    fees: { perGas: sells ? perGas : perGas * bestPrice, swapGas, maxSwaps },
    wantsFewer: ({ flows }) => price !== undefined || flows.length > maxSwaps,
    isAllowed: ({ flows }) => flows.length <= maxSwaps,
    costOf: (swaps) => (price ? (gasOf(swaps).cost ?? 0n) : 0n),
    leastCostOf: (hops) =>
      perGas * hops.reduce((sum, hop) => sum + forRouter(hop.tokenIn) + leastGasOf(hop), 0),
    gasOf,
  };
}
