import type { Address } from '../domain/address.ts';
import type { ConcentratedPool, ConstantProductPool, Pool } from '../pools/pool.ts';
import type { Market } from './market.ts';

/**
 * Returns the USD price of one whole token, for every token of the market; the
 * USD token is at 1. Floats: for display, never for amounts.
 *
 * Prices spread outwards from the USD token over pools' mid prices, the deepest
 * pool on the frontier first, so that a token is priced over the deepest pool
 * that leads to it and a tiny pool decides only where there is no other. Depth
 * is counted in USD of the side whose price is known: what an owner of the other
 * token cannot make up.
 *
 * A token that no pool with liquidity connects to the USD token has price 0.
 */
export function usdPrices(market: Market): ReadonlyMap<Address, number> {
  const poolsOf = new Map<Address, Pool[]>();
  for (const pool of market.pools) {
    for (const token of [pool.token0, pool.token1]) {
      poolsOf.set(token, [...(poolsOf.get(token) ?? []), pool]);
    }
  }
  /** USD of one base unit; a token is settled once it is here. */
  const perUnit = new Map<Address, number>();
  const frontier: Quote[] = [];
  const settle = (token: Address, price: number) => {
    perUnit.set(token, price);
    for (const pool of poolsOf.get(token) ?? []) {
      const quote = quoteOther(pool, token, price);
      if (quote.unitUsd > 0 && !perUnit.has(quote.token)) frontier.push(quote);
    }
  };
  settle(market.usdToken, 10 ** -decimalsOf(market, market.usdToken));
  while (frontier.length > 0) {
    const deepest = frontier.reduce((a, b) => (b.depthUsd > a.depthUsd ? b : a));
    frontier.splice(frontier.indexOf(deepest), 1);
    if (!perUnit.has(deepest.token)) settle(deepest.token, deepest.unitUsd);
  }
  return new Map(
    [...market.tokens.values()].map(({ address, decimals }) => [
      address,
      address === market.usdToken ? 1 : (perUnit.get(address) ?? 0) * 10 ** decimals,
    ]),
  );
}

/** What a pool says of a token's price, and how much stands behind it. */
type Quote = {
  readonly token: Address;
  /** USD of one base unit. */
  readonly unitUsd: number;
  readonly depthUsd: number;
};

function quoteOther(pool: Pool, known: Address, unitUsd: number): Quote {
  const { price, depth0, depth1 } = pool.family === 'concentrated' ? rangeOf(pool) : pairOf(pool);
  return known === pool.token0
    ? { token: pool.token1, unitUsd: price && unitUsd / price, depthUsd: unitUsd * depth0 }
    : { token: pool.token0, unitUsd: unitUsd * price, depthUsd: unitUsd * depth1 };
}

/** A pool's state in floats, base units: token1 per token0 without the fee, 0 if nothing trades there. */
type Depth = { readonly price: number; readonly depth0: number; readonly depth1: number };

function pairOf({ reserve0, reserve1 }: ConstantProductPool): Depth {
  const [depth0, depth1] = [Number(reserve0), Number(reserve1)];
  return { price: depth0 && depth1 / depth0, depth0, depth1 };
}

/**
 * A range acts as a pair with reserves `L / sqrt(P)` and `L * sqrt(P)`, but one
 * that is narrow holds far less than that, and one that is far away does not act
 * here: the lesser of what it acts as and what it holds is what counts.
 */
function rangeOf({ ticks, ...pool }: ConcentratedPool): Depth {
  if (pool.liquidity === 0n) return { price: 0, depth0: 0, depth1: 0 };
  const sqrtPrice = Number(pool.sqrtPriceX96) / 2 ** 96;
  let held0 = 0;
  let held1 = 0;
  let liquidity = 0;
  let lower = 0;
  for (const tick of ticks) {
    const upper = Math.sqrt(1.0001) ** tick.index;
    if (liquidity > 0) {
      held0 += liquidity * Math.max(0, 1 / Math.max(lower, sqrtPrice) - 1 / upper);
      held1 += liquidity * Math.max(0, Math.min(upper, sqrtPrice) - lower);
    }
    liquidity += Number(tick.liquidityNet);
    lower = upper;
  }
  const inRange = Number(pool.liquidity);
  return {
    price: sqrtPrice ** 2,
    depth0: Math.min(held0, inRange / sqrtPrice),
    depth1: Math.min(held1, inRange * sqrtPrice),
  };
}

function decimalsOf(market: Market, token: Address): number {
  return market.tokens.get(token)?.decimals ?? 0;
}
