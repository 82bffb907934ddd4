import { createRandom } from '../../conformance/model/random.ts';
import type { RoutingPlan } from '../../reference/planner/graph/plan.ts';
import { createPlanner, type Planner } from '../../reference/planner/planner.ts';
import type { Pool } from '../../reference/planner/pools/families.ts';
import { tokensOf } from '../../reference/planner/pools/pool.ts';
import type { PoolMarket } from '../../reference/planner/prices/pool-market.ts';
import type { Quirk } from './moving-market.testing.ts';

const planRoute = createPlanner();

/** Plans like the reference, but ignores gas. */
export const planWithoutGas: Planner<RoutingPlan> = (market, request) =>
  planRoute(market, { ...request, gasPriceWei: 0n });

/**
 * Returns a planner that uses only the pools between four tokens. The planner is fast, for tests
 * that do not check quotes.
 */
export function planFewPools(): Planner<RoutingPlan> {
  const reduced = new WeakMap<PoolMarket, PoolMarket>();
  return (market, request) => {
    const { usdToken, wrappedNative, tokens, pools } = market;
    const few = new Set([usdToken, wrappedNative, ...tokens.keys()].slice(0, 4));
    const small = reduced.get(market) ?? {
      ...market,
      pools: pools.filter((pool) => tokensOf(pool).every((token) => few.has(token))),
    };
    reduced.set(market, small);
    return planRoute(small, request);
  };
}

/** Plans the best single path of one or two pools. */
export const singlePaths: Planner<RoutingPlan> = (market, request) => {
  const { sellToken, buyToken, swapKind } = request;
  const plans = pathsBetween(market, sellToken, buyToken).flatMap((pools) => {
    const plan = planWithoutGas({ ...market, pools }, request);
    return plan.kind === 'plan' && plan.swaps.length === pools.length ? [plan] : [];
  });
  const [first, ...others] = plans;
  if (first === undefined) return { kind: 'no-route', reason: 'disconnected' };
  return others.reduce((best, plan) => {
    const isBetter =
      swapKind === 'exact-input'
        ? plan.buyAmount > best.buyAmount
        : plan.sellAmount < best.sellAmount;
    return isBetter ? plan : best;
  }, first);
};

function pathsBetween(market: PoolMarket, sell: string, buy: string): readonly (readonly Pool[])[] {
  const has = (pool: Pool, token: string) => tokensOf(pool).some((each) => each === token);
  const [from, into] = [sell, buy].map((token) => market.pools.filter((pool) => has(pool, token)));
  const direct = (from ?? []).filter((pool) => has(pool, buy)).map((pool) => [pool]);
  const viaOne = (from ?? []).flatMap((first) =>
    (into ?? [])
      .filter((second) => second !== first && tokensOf(second).some((token) => has(first, token)))
      .map((second) => [first, second]),
  );
  return [...direct, ...viaOne];
}

/** Quotes a price that is better than the plan's by the given number of basis points. */
export function overstatedBy(bps: bigint): Quirk {
  const [up, down] = [10_000n, 10_000n - bps];
  return {
    middleware: changeSwaps((body, isInput) => {
      const side = isInput ? body.buy : body.sell;
      const amount = BigInt(side.amount);
      side.amount = String(isInput ? (amount * up) / down : (amount * down + up - 1n) / up);
    }),
  };
}

/**
 * In about one of `times` plans, replaces the calldata by calldata that reverts. `planted` returns
 * the number of these plans.
 */
export function revertingOnceIn(times: number, seed: number): Quirk & { planted: () => number } {
  const random = createRandom(seed);
  let planted = 0;
  return {
    planted: () => planted,
    middleware: changeSwaps((body) => {
      if (body.calldata === undefined || random() * times >= 1) return;
      planted += 1;
      body.calldata = `0xdeadbeef${body.calldata.slice(10)}`;
    }),
  };
}

type SwapBody = {
  readonly sell: { amount: string };
  readonly buy: { amount: string };
  calldata?: string;
};

function changeSwaps(
  change: (body: SwapBody, isExactInput: boolean) => void,
): NonNullable<Quirk['middleware']> {
  return async (context, next) => {
    await next();
    if (!context.path.endsWith('/swap') || context.status !== 200) return;
    const body = structuredClone(context.body) as SwapBody;
    change(body, 'sellAmount' in context.query);
    context.body = body;
  };
}
