import fc from 'fast-check';
import type { Market } from '../market/market.ts';
import type { Address } from '../planner/domain/address.ts';
import type { PlanSwap, RoutingPlan, SwapKind } from '../planner/graph/plan.ts';
import type { Pool } from '../planner/pools/families.ts';
import { swapExactInput, swapExactOutput } from '../planner/pools/families.ts';
import { tokensOf } from '../planner/pools/pool.ts';

type Shape = {
  readonly swapKind: SwapKind;
  readonly tokens: readonly Address[];
  readonly pools: readonly Pool[];
  readonly weights: readonly number[];
  readonly amount: bigint;
};

type Arc = {
  readonly pool: Pool;
  readonly from: number;
  readonly to: number;
  readonly weight: bigint;
};

/**
 * Returns a plan that trades an amount through the given pools, split by their weights. Returns
 * undefined if a pool cannot take its part.
 */
function planOf({ swapKind, tokens, pools, weights, amount }: Shape): RoutingPlan | undefined {
  const arcs = usefulArcs(
    pools.map((pool, i) => {
      const ends = tokensOf(pool)
        .map((token) => tokens.indexOf(token))
        .filter((end) => end >= 0)
        .slice(0, 2);
      return {
        pool,
        from: Math.min(...ends),
        to: Math.max(...ends),
        weight: BigInt(weights[i] ?? 1),
      };
    }),
    tokens.length - 1,
  );
  if (arcs.length === 0) return undefined;
  const sells = swapKind === 'exact-input';
  const amounts = tokens.map((_, i) => (i === (sells ? 0 : tokens.length - 1) ? amount : 0n));
  const swaps: PlanSwap[] = [];
  const order = sells ? tokens.keys() : [...tokens.keys()].reverse();
  for (const node of order) {
    const mine = arcs.filter((arc) => (sells ? arc.from : arc.to) === node);
    for (const [i, arc] of mine.entries()) {
      const rest = mine.slice(i).reduce((sum, { weight }) => sum + weight, 0n);
      const part = ((amounts[node] ?? 0n) * arc.weight) / rest;
      const way = {
        pool: arc.pool,
        tokenIn: tokens[arc.from] as Address,
        tokenOut: tokens[arc.to] as Address,
      };
      if (part === 0n) return undefined;
      const outcome = sells ? swapExactInput(way, part) : swapExactOutput(way, part);
      if (outcome.kind === 'exhausted' || outcome.amountOut === 0n) return undefined;
      swaps.push({ ...outcome, ...way });
      amounts[node] = (amounts[node] ?? 0n) - part;
      const next = sells ? arc.to : arc.from;
      amounts[next] = (amounts[next] ?? 0n) + (sells ? outcome.amountOut : outcome.amountIn);
    }
  }
  const [first, last] = [amounts[0] ?? 0n, amounts.at(-1) ?? 0n];
  return {
    kind: 'plan',
    swapKind,
    sellToken: tokens[0] as Address,
    buyToken: tokens.at(-1) as Address,
    sellAmount: sells ? amount : first,
    buyAmount: sells ? last : amount,
    swaps: (sells ? swaps : swaps.reverse()).map(
      ({ pool, tokenIn, tokenOut, amountIn, amountOut }) => ({
        pool,
        tokenIn,
        tokenOut,
        amountIn,
        amountOut,
      }),
    ),
  };
}

function usefulArcs(arcs: readonly Arc[], last: number): readonly Arc[] {
  const useful = arcs.filter(
    (arc) =>
      (arc.from === 0 || arcs.some(({ to }) => to === arc.from)) &&
      (arc.to === last || arcs.some(({ from }) => from === arc.to)),
  );
  return useful.length === arcs.length ? useful : usefulArcs(useful, last);
}

/**
 * Generates plans through the market's pools, whatever their quality. A router must settle every
 * such plan.
 */
export function anyPlan(market: Market): fc.Arbitrary<RoutingPlan> {
  const traded = [...market.tokens.keys()].filter((token) =>
    market.pools.some((pool) => tokensOf(pool).includes(token)),
  );
  return fc
    .record({
      swapKind: fc.constantFrom('exact-input' as const, 'exact-output' as const),
      tokens: fc.shuffledSubarray(traded, { minLength: 2, maxLength: 6 }),
      poolLimit: fc.integer({ min: 1, max: 9 }),
      ranks: fc.shuffledSubarray([...market.pools.keys()], { minLength: market.pools.length }),
      weights: fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 9, maxLength: 9 }),
      /** Exponent of a power of ten, in thousandths. */
      magnitude: fc.integer({ min: -5000, max: -700 }),
    })
    .map(({ swapKind, tokens, poolLimit, ranks, weights, magnitude }) => {
      const pools = ranks
        .flatMap((rank) => market.pools[rank] ?? [])
        .filter((pool) => tokensOf(pool).filter((token) => tokens.includes(token)).length > 1)
        .slice(0, poolLimit);
      const amount = amountOf(pools, tokens, swapKind, magnitude / 1000);
      return planOf({ swapKind, tokens, pools, weights, amount });
    })
    .filter((plan) => plan !== undefined);
}

/** Returns the balance of the smallest pool times ten to the power of `magnitude`. */
function amountOf(
  pools: readonly Pool[],
  tokens: readonly Address[],
  swapKind: SwapKind,
  magnitude: number,
): bigint {
  const end = (swapKind === 'exact-input' ? tokens[0] : tokens.at(-1)) as Address;
  const held = pools
    .filter((pool) => tokensOf(pool).includes(end))
    .map((pool) => depthOf(pool, end));
  return BigInt(Math.max(1, Math.floor(Math.min(...held, 2 ** 100) * 10 ** magnitude)));
}

/**
 * Returns the reserve of a pool, or of a constant-product pair with the same price and liquidity.
 */
export function depthOf(pool: Pool, token: Address): number {
  if ('balances' in pool) return Number(pool.balances[pool.tokens.indexOf(token)]);
  const isToken0 = token === pool.token0;
  if (pool.family === 'constant-product') {
    return Number(isToken0 ? pool.reserve0 : pool.reserve1);
  }
  if (pool.family === 'maker-order') return Number(pool.available);
  const sqrtPrice = Number(pool.sqrtPriceX96) / 2 ** 96;
  return Number(pool.liquidity) * (isToken0 ? 1 / sqrtPrice : sqrtPrice);
}
