import type { NoRoute, RoutingPlan } from './graph/plan.ts';
import { createPlanner, type Planner } from './planner.ts';

/**
 * Returns a planner that caches plans by market and trade, for services that share a market which
 * does not change.
 */
export function createPlanOnce(): Planner<RoutingPlan> {
  const planRoute = createPlanner();
  const plansOf = new WeakMap<object, Map<string, RoutingPlan | NoRoute>>();
  return (market, request) => {
    const plans = plansOf.get(market) ?? new Map<string, RoutingPlan | NoRoute>();
    plansOf.set(market, plans);
    const { sellToken, buyToken, swapKind, amount, constraints } = request;
    const { sources, topology } = constraints;
    const key = [sellToken, buyToken, swapKind, amount, ...sources, topology].join();
    const plan = plans.get(key) ?? planRoute(market, request);
    plans.set(key, plan);
    return plan;
  };
}
