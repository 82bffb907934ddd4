import type { Address } from '../planner/domain/address.ts';
import type { PlanSwap, ProvenPlan, RoutingPlan } from '../planner/graph/plan.ts';
import { familyOf } from '../planner/pools/families.ts';
import type { Respond } from './swap.ts';

/** What can be told of a plan beside its reply. Amounts are base units of the buy token, as floats. */
export type Appraisal = {
  /** What the plan's own pools would give at their mid prices, without fee and without moving. */
  readonly buyAmountAtMid: number;
  readonly block: { readonly number: number; readonly timestamp: number };
  /** What no plan betters: absent where the planner proves nothing, or knows no bound. */
  readonly gap?: number;
  /** Of the swaps alone. */
  readonly gas?: { readonly units: string; readonly priceWei: string };
};

/** Answers a swap with the appraisal of its plan. */
export const appraise: Respond = ({ chain }, { plan }) => {
  const { number, timestamp } = chain.market.block;
  const { proof, gas }: Partial<ProvenPlan> = plan;
  const appraisal: Appraisal = {
    buyAmountAtMid: buyAmountAtMid(plan),
    block: { number, timestamp },
    ...(proof && Number.isFinite(proof.bound) && { gap: Math.max(0, proof.gap) }),
    ...(gas && { gas: { units: `${gas.units}`, priceWei: `${gas.priceWei}` } }),
  };
  return { kind: 'body', body: JSON.stringify(appraisal) };
};

/**
 * Returns what a plan would buy if every pool gave its mid price for any
 * amount, and each token were split as it is in the plan.
 */
export function buyAmountAtMid({ sellToken, buyToken, sellAmount, swaps }: RoutingPlan): number {
  const spent = new Map<Address, number>();
  for (const { tokenIn, amountIn } of swaps) {
    spent.set(tokenIn, (spent.get(tokenIn) ?? 0) + Number(amountIn));
  }
  const held = new Map([[sellToken, Number(sellAmount)]]);
  for (const swap of swaps) {
    const { tokenIn, tokenOut, amountIn } = swap;
    const part = Number(amountIn) / (spent.get(tokenIn) ?? 1);
    const given = (held.get(tokenIn) ?? 0) * part * midPriceOf(swap);
    held.set(tokenOut, (held.get(tokenOut) ?? 0) + given);
  }
  return held.get(buyToken) ?? 0;
}

/** Base units out for one in; an order has no mid price but its own. */
function midPriceOf({ pool, tokenIn, tokenOut, amountIn, amountOut }: PlanSwap): number {
  const { price } = familyOf(pool).midPrice(pool, tokenOut, tokenIn);
  return price > 0 ? price : Number(amountOut) / Number(amountIn);
}
