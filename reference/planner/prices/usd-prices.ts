import type { Address } from '../domain/address.ts';
import { directionsOf, familyOf, type Pool } from '../pools/families.ts';
import type { MidPrice } from '../pools/family.ts';
import type { PoolMarket } from './pool-market.ts';

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
export function usdPrices(market: PoolMarket): ReadonlyMap<Address, number> {
  const ratesFrom = new Map<Address, Rate[]>();
  for (const pool of market.pools) {
    for (const rate of ratesOf(pool)) {
      const known = ratesFrom.get(rate.from);
      if (known === undefined) ratesFrom.set(rate.from, [rate]);
      else known.push(rate);
    }
  }
  /** USD of one base unit; a token is settled once it is here. */
  const perUnit = new Map<Address, number>();
  /** Of each token that is not, what the deepest pool says. */
  const frontier = new Map<Address, Quote>();
  const settle = (known: Address, knownUsd: number) => {
    perUnit.set(known, knownUsd);
    frontier.delete(known);
    for (const { token, price, depth } of ratesFrom.get(known) ?? []) {
      const [unitUsd, depthUsd] = [knownUsd * price, knownUsd * depth];
      const isDeepest = depthUsd > (frontier.get(token)?.depthUsd ?? -1);
      if (unitUsd > 0 && isDeepest && !perUnit.has(token))
        frontier.set(token, { token, unitUsd, depthUsd });
    }
  };
  settle(market.usdToken, 10 ** -decimalsOf(market, market.usdToken));
  while (frontier.size > 0) {
    const deepest = [...frontier.values()].reduce((a, b) => (b.depthUsd > a.depthUsd ? b : a));
    settle(deepest.token, deepest.unitUsd);
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

/** What a pool says of a token's price in another. */
type Rate = MidPrice & { readonly from: Address; readonly token: Address };

function ratesOf(pool: Pool): readonly Rate[] {
  return directionsOf(pool).map(({ tokenIn: from, tokenOut: token }) => ({
    from,
    token,
    ...familyOf(pool).midPrice(pool, from, token),
  }));
}

function decimalsOf(market: PoolMarket, token: Address): number {
  return market.tokens.get(token)?.decimals ?? 0;
}
