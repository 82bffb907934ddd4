import type { Address } from './domain/address.ts';
import type { Pool } from './pools/families.ts';
import { directionsOf, type PoolDirection, swapExactInput } from './pools/families.ts';
import { tokensOf } from './pools/pool.ts';
import type { PoolMarket } from './prices/pool-market.ts';

const MIN_PART = 2 ** -26;

/**
 * Searches by trial for the acyclic plan with the largest output, and returns that output. For
 * every order of the intermediate tokens, the search moves ever smaller parts of a token's inflow
 * from one pool to another as long as the output grows. Tests use it as a second oracle next to the
 * bound, for amounts that move prices. It shares only the pools' math with the planner, and is
 * slow.
 */
export function bestByTrial(
  market: PoolMarket,
  sellToken: Address,
  buyToken: Address,
  sellAmount: bigint,
): bigint {
  const tokens = new Set(market.pools.flatMap((pool) => tokensOf(pool)));
  const between = [...tokens].filter((token) => token !== sellToken && token !== buyToken);
  let best = 0n;
  for (const order of ordersOf(between)) {
    const found = improve(linksIn(market.pools, [sellToken, ...order, buyToken]), sellAmount);
    if (found > best) best = found;
  }
  return best;
}

function ordersOf(tokens: readonly Address[]): Address[][] {
  if (tokens.length === 0) return [[]];
  return tokens.flatMap((first) =>
    ordersOf(tokens.filter((token) => token !== first)).map((rest) => [first, ...rest]),
  );
}

type Link = { readonly direction: PoolDirection; readonly to: number; part: number };

function linksIn(pools: readonly Pool[], order: readonly Address[]): Link[][] {
  return order.map((token, node) => {
    const links = pools
      .flatMap(directionsOf)
      .filter(({ tokenIn }) => tokenIn === token)
      .map((direction): Link => ({ direction, to: order.indexOf(direction.tokenOut), part: 0 }))
      .filter(({ to }) => to > node);
    return links.map((link) => ({ ...link, part: 1 / links.length }));
  });
}

function improve(nodes: readonly Link[][], sellAmount: bigint): bigint {
  let best = outputOf(nodes, sellAmount);
  for (let step = 0.5; step >= MIN_PART; step /= 2) {
    for (let hasGained = true; hasGained; ) {
      hasGained = false;
      for (const links of nodes) {
        for (const from of links) {
          for (const to of links) {
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

function outputOf(nodes: readonly Link[][], sellAmount: bigint): bigint {
  const inflows = nodes.map((_, node) => (node === 0 ? sellAmount : 0n));
  for (const [node, links] of nodes.entries()) {
    for (const { direction, to, part } of links) {
      const amountIn = ((inflows[node] ?? 0n) * BigInt(Math.round(part * 2 ** 52))) >> 52n;
      if (amountIn === 0n) continue;
      inflows[to] = (inflows[to] ?? 0n) + swapExactInput(direction, amountIn).amountOut;
    }
  }
  return inflows.at(-1) ?? 0n;
}
