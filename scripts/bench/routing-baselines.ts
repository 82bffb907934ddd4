import type { Address } from '../../reference/planner/domain/address.ts';
import { solveDual } from '../../reference/planner/dual/dual-solver.ts';
import { flowProblemOf } from '../../reference/planner/dual/flow-problem.ts';
import { MarketGraph } from '../../reference/planner/graph/market-graph.ts';
import { createPlanner } from '../../reference/planner/planner.ts';
import type { Pool } from '../../reference/planner/pools/families.ts';
import {
  curveOf,
  directionsOf,
  type PoolDirection,
} from '../../reference/planner/pools/families.ts';
import type { SwapCurve } from '../../reference/planner/pools/family.ts';
import type { PoolMarket } from '../../reference/planner/prices/pool-market.ts';
import type { Trade } from './peer-process.ts';

const planner = createPlanner();

/*
 * Common routing methods, with which `npm run bench:routing` compares the planner. Amounts are
 * exact, as the pools' contracts compute them.
 */

type Step = PoolDirection;

/** Returns the output of a sale, in base units; 0 if no plan is found. */
export type Baseline = (sellToken: Address, buyToken: Address, sellAmount: bigint) => bigint;

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
const MAX_PATHS = 100;

/**
 * Splits the trade into equal chunks. Each chunk is sold along the path that is best after the
 * previous chunks.
 */
export function equalChunks(market: PoolMarket, chunks: number): Baseline {
  const pathsOf = pathFinder(market);
  return (sellToken, buyToken, sellAmount) => {
    const moved = new Map<Pool, Pool>();
    const soldTo = new Map<Pool, Address>();
    const paths = pathsOf(sellToken, buyToken);
    const stateOf = (pool: Pool) => moved.get(pool) ?? pool;
    const curves = new Map<Pool, Map<string, SwapCurve<Pool>>>();
    const curveFor = ({ pool, tokenIn, tokenOut }: Step): SwapCurve<Pool> => {
      const state = stateOf(pool);
      const known = curves.get(state) ?? new Map<string, SwapCurve<Pool>>();
      curves.set(state, known);
      const way = `${tokenIn} ${tokenOut}`;
      const curve = known.get(way) ?? curveOf({ pool: state, tokenIn, tokenOut });
      known.set(way, curve);
      return curve;
    };
    let bought = 0n;
    for (let chunk = 0n; chunk < chunks; chunk++) {
      const count = BigInt(chunks);
      const amount = (sellAmount * (chunk + 1n)) / count - (sellAmount * chunk) / count;
      let best: readonly Step[] = [];
      let largest = 0n;
      for (const path of paths) {
        const turns = path.some(({ pool, tokenIn }) => (soldTo.get(pool) ?? tokenIn) !== tokenIn);
        const output = turns ? 0n : through(path, amount, curveFor);
        if (output > largest) [best, largest] = [path, output];
      }
      if (largest === 0n && amount > 0n) return 0n;
      let carried = amount;
      for (const step of best) {
        const curve = curveFor(step);
        const { amountOut } = curve.swapExactInput(carried);
        moved.set(step.pool, curve.afterExactInput(carried));
        soldTo.set(step.pool, step.tokenIn);
        carried = amountOut;
      }
      bought += largest;
    }
    return bought;
  };
}

/** Sells the whole amount along the single best path. */
export function bestSinglePath(market: PoolMarket): Baseline {
  return equalChunks(market, 1);
}

function through(
  path: readonly Step[],
  sellAmount: bigint,
  curveFor: (step: Step) => SwapCurve<Pool>,
): bigint {
  let carried = sellAmount;
  for (const step of path) {
    if (carried === 0n) return 0n;
    const { kind, amountOut } = curveFor(step).swapExactInput(carried);
    carried = kind === 'filled' ? amountOut : 0n;
  }
  return carried;
}

function pathFinder({ pools }: PoolMarket) {
  const memoized = new Map<string, readonly (readonly Step[])[]>();
  return (sellToken: Address, buyToken: Address): readonly (readonly Step[])[] => {
    const key = `${sellToken} ${buyToken}`;
    const known = memoized.get(key);
    if (known !== undefined) return known;
    const paths = pathsBetween(pools, sellToken, buyToken);
    memoized.set(key, paths);
    return paths;
  };
}

function pathsBetween(
  pools: readonly Pool[],
  sellToken: Address,
  buyToken: Address,
): (readonly Step[])[] {
  const found: { readonly path: readonly Step[]; readonly price: number }[] = [];
  const steps = pools.flatMap(directionsOf);
  const walk: Step[] = [];
  const visit = (token: Address, price: number): void => {
    if (token === buyToken) {
      found.push({ path: [...walk], price });
      return;
    }
    if (walk.length === MAX_STEPS) return;
    for (const step of steps) {
      if (step.tokenIn !== token) continue;
      if (walk.some(({ tokenIn }) => tokenIn === step.tokenOut)) continue;
      walk.push(step);
      visit(step.tokenOut, price * curveOf(step).marginalPrice());
      walk.pop();
    }
  };
  visit(sellToken, 1);
  return found
    .sort((a, b) => b.price - a.price)
    .slice(0, MAX_PATHS)
    .map(({ path }) => path);
}
