import type { Address } from '../domain/address.ts';
import { directionsOf, familyOf, type Pool } from '../pools/families.ts';
import type { MidPrice } from '../pools/family.ts';
import type { PoolMarket } from './pool-market.ts';

/**
 * Returns the USD price of one whole unit of every token in the market; the USD token's price is 1.
 * Prices are floats, for display and gas costs but never for amounts. They spread from the USD
 * token through the mid prices of pools, deepest pool first, so a small pool sets a price only if
 * no other pool does. Depth is the USD value of the token whose price is known, because an owner of
 * the other token cannot fake it. Tokens that no liquid pool connects to the USD token have price
 * 0.
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
  /** USD per base unit of each token whose price is final. */
  const perUnit = new Map<Address, number>();
  /** For each other token reached so far, its price in the deepest pool. */
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

type Quote = {
  readonly token: Address;
  readonly unitUsd: number;
  readonly depthUsd: number;
};

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
