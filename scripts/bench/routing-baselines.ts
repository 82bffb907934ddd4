import type { Address } from '../../reference/planner/domain/address.ts';
import { solveDual } from '../../reference/planner/dual/dual-solver.ts';
import { flowProblemOf } from '../../reference/planner/dual/flow-problem.ts';
import { MarketGraph } from '../../reference/planner/graph/market-graph.ts';
import { createPlanner } from '../../reference/planner/planner.ts';
import { directionsOf, swapExactInput } from '../../reference/planner/pools/families.ts';
import type { PoolMarket } from '../../reference/planner/prices/pool-market.ts';

const planner = createPlanner();

/** A sale to plan. */
export type Trade = {
  readonly sellToken: Address;
  readonly buyToken: Address;
  readonly amountIn: bigint;
};

const MAX_SOLUTIONS = 4096;

/**
 * Returns an upper bound on the yield of every plan. If the planner finds no plan, the bound also
 * covers flows with cycles.
 */
export function boundOf(market: PoolMarket, { sellToken, buyToken, amountIn }: Trade): number {
  const plan = planner(market, {
    sellToken,
    buyToken,
    swapKind: 'exact-input',
    amount: amountIn,
    constraints: { sources: sourcesOf(market), topology: 'graph' },
    gasPriceWei: 0n,
    maxSolutions: MAX_SOLUTIONS,
  });
  if (plan.kind === 'plan') return plan.proof.bound;
  const between = new MarketGraph(market.pools).between(sourcesOf(market), sellToken, buyToken);
  return solveDual(flowProblemOf(between), Number(amountIn)).bound;
}

export function sourcesOf({ pools }: PoolMarket): ReadonlySet<string> {
  return new Set(pools.map(({ source }) => source));
}

const MAX_STEPS = 4;

/**
 * Returns a function that sells a whole amount along the best path of at most four pools, and
 * returns the output in base units; 0 if no path fills the sale. `npm run bench:routing` compares
 * the planner with it.
 */
export function bestSinglePath({ pools }: PoolMarket) {
  const directions = pools.flatMap(directionsOf);
  return (sellToken: Address, buyToken: Address, sellAmount: bigint): bigint => {
    let best = 0n;
    const visit = (token: Address, carried: bigint, before: readonly Address[]): void => {
      if (token === buyToken && carried > best) best = carried;
      if (token === buyToken || before.length === MAX_STEPS) return;
      const visited = [...before, token];
      for (const direction of directions) {
        if (direction.tokenIn !== token || visited.includes(direction.tokenOut)) continue;
        const { kind, amountOut } = swapExactInput(direction, carried);
        if (kind === 'filled' && amountOut > 0n) visit(direction.tokenOut, amountOut, visited);
      }
    };
    visit(sellToken, sellAmount, []);
    return best;
  };
}
