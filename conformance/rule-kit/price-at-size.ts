import type { Plan } from '../checks/plan.ts';
import type { Asset } from '../discovery/facts.ts';
import { tradedPairKey } from '../discovery/known-chain.ts';
import { type JudgedReply, tokenAt } from '../model/judged-reply.ts';
import type { Found } from './reply-values.ts';

/**
 * Pools give less for each further unit, but a planner that counts gas may use a worse pool for a
 * small trade. So the larger trade may have the better price, by up to this factor.
 */
const MAX_FACTOR = 2n;

/**
 * Minimum value of the smaller trade. For a smaller trade, gas may cost more than the worse price
 * of another pool.
 */
const MIN_USD = 50;

/** Minimum amount of a leg. From this amount on, rounding changes a leg by at most 0.1%. */
const MIN_LEG = 1_000n;

/** Amount that a plan buys, and the maximum that the price of a smaller trade implies. */
export type BoughtAtSize = Found<bigint> & {
  readonly most: bigint;
  /** The smaller trade, in base units. */
  readonly sold: bigint;
  readonly bought: bigint;
  readonly plan: Plan;
};

/**
 * Returns the bought amount of a plan and its maximum. Returns none if discovery did not trade a
 * smaller amount of the same pair, or if either trade is too small to show a price.
 */
export function boughtAtSize({ plan: view, chain }: JudgedReply): readonly BoughtAtSize[] {
  const plan = view?.plan;
  if (plan === undefined || chain === undefined) return [];
  const [sell, buy] = [plan.sell, plan.buy].map((side) => tokenAt(plan, side.referenceId)?.address);
  if (sell === undefined || buy === undefined) return [];
  const pair = chain.tradedPairs.get(tradedPairKey(sell, buy));
  if (pair === undefined || plan.sell.amount <= pair.sellAmount) return [];
  const { sellAmount: sold, buyAmount: bought } = pair;
  const legs = [plan.sell, plan.buy, ...plan.routes.flatMap(({ from, to }) => [...from, ...to])];
  const showsPrice = legs.every(({ amount }) => amount * sold >= MIN_LEG * plan.sell.amount);
  if (!showsPrice || usdWorth(pair.sell, sold) < MIN_USD) return [];
  const most = (MAX_FACTOR * bought * plan.sell.amount) / sold;
  return [{ pointer: '/buy/amount', value: plan.buy.amount, most, sold, bought, plan }];
}

function usdWorth({ usdPrice = 0, decimals }: Asset, amount: bigint): number {
  return (Number(amount) / 10 ** decimals) * usdPrice;
}
