import type { NoRoute, RoutingPlan } from './graph/plan.ts';
import { createPlanner, type Planner } from './planner.ts';

/** Returns a planner that caches plans by trade, for services whose markets do not change. */
export function createPlanOnce(): Planner<RoutingPlan> {
  const planRoute = createPlanner();
  const plans = new Map<string, RoutingPlan | NoRoute>();
  return (market, request) => {
    const { sellToken, buyToken, swapKind, amount, constraints } = request;
    const { sources, topology } = constraints;
    const key = [
      market.chainId,
      sellToken,
      buyToken,
      swapKind,
      amount,
      ...sources,
      topology,
    ].join();
    const plan = plans.get(key) ?? planRoute(market, request);
    plans.set(key, plan);
    return plan;
  };
}
