import type { Market } from '../market/market.ts';
import {
  type MakerOrder,
  type MakerOrderPool,
  makerOrder,
  ORDER_FIELDS,
  poolOf,
} from '../planner/pools/maker-order.ts';
import type { Maker, QuoteRequest } from './maker.ts';

/**
 * Returns the market with the orders that makers sign for a trade. Equal orders count once, since
 * the contract counts their fills together.
 */
export async function withQuotes(
  market: Market,
  request: QuoteRequest,
  makers: readonly Maker[],
): Promise<Market> {
  const { chainId, makerOrders } = market;
  if (makerOrders === undefined) return market;
  const quotes = await Promise.all(
    makers.filter((maker) => maker.chainId === chainId).map(({ quote }) => quote(request, market)),
  );
  const distinct = new Map(quotes.flat().map((signed) => [fieldsOf(signed.order), signed]));
  const pools = [...distinct.values()].map(({ order, signature }) =>
    limitToTrade(request, poolOf(makerOrders, order, signature)),
  );
  return pools.length === 0 ? market : { ...market, pools: [...market.pools, ...pools] };
}

/**
 * Limits an order to the trade's size, because floats cannot resolve a small part of a much larger
 * order.
 */
function limitToTrade({ sellToken, swapKind, amount }: QuoteRequest, pool: MakerOrderPool) {
  const curve = makerOrder.curve(pool, sellToken);
  const swap = swapKind === 'exact-input' ? curve.swapExactInput : curve.swapExactOutput;
  return { ...pool, available: swap(amount).amountIn };
}

const fieldsOf = (order: MakerOrder): string => ORDER_FIELDS.map(({ name }) => order[name]).join();
