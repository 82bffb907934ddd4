import type { Address } from './domain/address.ts';
import type { Pool } from './pools/families.ts';
import { directionsOf, swapExactInput } from './pools/families.ts';
import { tokensOf } from './pools/pool.ts';
import type { PoolMarket } from './prices/pool-market.ts';

/**
 * Returns the most that any acyclic plan yields, by trying all of them: every
 * order of the tokens between, and every way in which a token's pools can share
 * what flows into it, to the base unit. For amounts of a few base units only.
 * `undefined` if no plan takes the whole amount.
 *
 * Shares nothing with the routing but the pools' own maths.
 */
export function mostByExhaustion(
  market: PoolMarket,
  sellToken: Address,
  buyToken: Address,
  sellAmount: bigint,
): bigint | undefined {
  const tokens = new Set(market.pools.flatMap((pool) => tokensOf(pool)));
  const between = [...tokens].filter((token) => token !== sellToken && token !== buyToken);
  let most: bigint | undefined;
  for (const order of ordersOf(between)) {
    const found = mostInOrder(market.pools, [sellToken, ...order, buyToken], sellAmount);
    if (found !== undefined && (most === undefined || found > most)) most = found;
  }
  return most;
}

/** Returns the tokens in every order. */
export function ordersOf(tokens: readonly Address[]): Address[][] {
  if (tokens.length === 0) return [[]];
  return tokens.flatMap((first) =>
    ordersOf(tokens.filter((token) => token !== first)).map((rest) => [first, ...rest]),
  );
}

function mostInOrder(
  pools: readonly Pool[],
  order: readonly Address[],
  sellAmount: bigint,
): bigint | undefined {
  const inflows = order.map((_, node) => (node === 0 ? sellAmount : 0n));
  const last = order.length - 1;
  let most: bigint | undefined;
  const fillNode = (node: number): void => {
    if (node === last) {
      const got = inflows[last] ?? 0n;
      if (got > 0n && (most === undefined || got > most)) most = got;
      return;
    }
    const token = order[node];
    const ways = pools
      .flatMap(directionsOf)
      .map((way) => ({ way, to: order.indexOf(way.tokenOut) }))
      .filter(({ way, to }) => way.tokenIn === token && to > node);
    const share = (index: number, left: bigint): void => {
      if (left === 0n) {
        fillNode(node + 1);
        return;
      }
      const { way, to } = ways[index] ?? {};
      if (way === undefined || to === undefined) return;
      share(index + 1, left);
      for (let amountIn = 1n; amountIn <= left; amountIn++) {
        const { kind, amountOut } = swapExactInput(way, amountIn);
        if (kind === 'exhausted') break;
        if (amountOut === 0n) continue;
        inflows[to] = (inflows[to] ?? 0n) + amountOut;
        share(index + 1, left - amountIn);
        inflows[to] = (inflows[to] ?? 0n) - amountOut;
      }
    };
    share(0, inflows[node] ?? 0n);
  };
  fillNode(0);
  return most;
}
