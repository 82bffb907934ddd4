import type { Address } from './domain/address.ts';
import type { Pool } from './pools/families.ts';
import { directionsOf, type PoolDirection, swapExactInput } from './pools/families.ts';
import { tokensOf } from './pools/pool.ts';
import type { PoolMarket } from './prices/pool-market.ts';

/** Smallest part of a token's inflow that is moved. */
const MIN_PART = 2 ** -26;

/**
 * Returns the largest output of an acyclic plan that a search by trial finds: for every
 * order of the intermediate tokens, it moves parts of a token's inflow from one pool to
 * another while that yields more, by ever smaller parts. One of two oracles besides the
 * bound: for amounts that move prices. Shares only the pools' maths with the planner; slow.
 */
export function mostByTrial(
  market: PoolMarket,
  sellToken: Address,
  buyToken: Address,
  sellAmount: bigint,
): bigint {
  const tokens = new Set(market.pools.flatMap((pool) => tokensOf(pool)));
  const between = [...tokens].filter((token) => token !== sellToken && token !== buyToken);
  let most = 0n;
  for (const order of ordersOf(between)) {
    const found = climb(waysIn(market.pools, [sellToken, ...order, buyToken]), sellAmount);
    if (found > most) most = found;
  }
  return most;
}

function ordersOf(tokens: readonly Address[]): Address[][] {
  if (tokens.length === 0) return [[]];
  return tokens.flatMap((first) =>
    ordersOf(tokens.filter((token) => token !== first)).map((rest) => [first, ...rest]),
  );
}

/** A pool that leads from one token to a later one, and its part of what flows into the first. */
type Way = { readonly direction: PoolDirection; readonly to: number; part: number };

function waysIn(pools: readonly Pool[], order: readonly Address[]): Way[][] {
  return order.map((token, node) => {
    const ways = pools
      .flatMap(directionsOf)
      .filter(({ tokenIn }) => tokenIn === token)
      .map((direction): Way => ({ direction, to: order.indexOf(direction.tokenOut), part: 0 }))
      .filter(({ to }) => to > node);
    return ways.map((way) => ({ ...way, part: 1 / ways.length }));
  });
}

function climb(nodes: readonly Way[][], sellAmount: bigint): bigint {
  let best = outputOf(nodes, sellAmount);
  for (let step = 0.5; step >= MIN_PART; step /= 2) {
    for (let hasGained = true; hasGained; ) {
      hasGained = false;
      for (const ways of nodes) {
        for (const from of ways) {
          for (const to of ways) {
            const moved = Math.min(step, from.part);
            if (from === to || moved === 0) continue;
            from.part -= moved;
            to.part += moved;
            const output = outputOf(nodes, sellAmount);
            if (output > best) {
              best = output;
              hasGained = true;
            } else {
              from.part += moved;
              to.part -= moved;
            }
          }
        }
      }
    }
  }
  return best;
}

/** What comes out; what a pool cannot take, or a token without ways holds, is lost. */
function outputOf(nodes: readonly Way[][], sellAmount: bigint): bigint {
  const inflows = nodes.map((_, node) => (node === 0 ? sellAmount : 0n));
  for (const [node, ways] of nodes.entries()) {
    for (const { direction, to, part } of ways) {
      const amountIn = ((inflows[node] ?? 0n) * BigInt(Math.round(part * 2 ** 52))) >> 52n;
      if (amountIn === 0n) continue;
      inflows[to] = (inflows[to] ?? 0n) + swapExactInput(direction, amountIn).amountOut;
    }
  }
  return inflows.at(-1) ?? 0n;
}
