import type { PlanSwap, RoutingPlan } from '../planner/graph/plan.ts';

/**
 * Returns the plan as paths from the sell token to the buy token. Each swap of a path sells exactly
 * the output of the previous swap. If two paths reach a token with equal amounts, each may continue
 * with the other's swaps.
 * @throws {NotPathsError} if the plan splits or joins an intermediate token
 */
export function pathsOfPlan(plan: RoutingPlan): PlanSwap[][] {
  const waiting = plan.swaps.filter((swap) => swap.tokenIn !== plan.sellToken);
  const starts = plan.swaps.filter((swap) => swap.tokenIn === plan.sellToken);
  const paths = starts.map((start) => {
    const path = [start];
    for (let last = start; last.tokenOut !== plan.buyToken; ) {
      const next = waiting.findIndex(
        (swap) => swap.tokenIn === last.tokenOut && swap.amountIn === last.amountOut,
      );
      const swap = waiting[next];
      if (swap === undefined) throw new NotPathsError(last);
      waiting.splice(next, 1);
      path.push(swap);
      last = swap;
    }
    return path;
  });
  const left = waiting[0];
  if (left !== undefined) throw new NotPathsError(left);
  return paths;
}

/** Thrown for a plan that is not a set of paths. */
export class NotPathsError extends Error {
  override readonly name = 'NotPathsError';

  constructor({ pool, tokenIn, amountIn }: PlanSwap) {
    super(
      `the plan is not a set of paths: ${amountIn} of ${tokenIn} at pool ${pool.address} belongs to none`,
    );
  }
}
