import type { Market } from '../market/market.ts';
import {
  type MakerOrder,
  type MakerOrderPool,
  makerOrder,
  ORDER_FIELDS,
  poolOf,
} from '../planner/pools/maker-order.ts';
import { type Maker, QuoteError, type QuoteFault, type QuoteRequest } from './maker.ts';

/** A maker that returned no quote for a trade. */
export type MissingQuote = {
  readonly maker: string;
  readonly chainId: number;
  readonly fault: QuoteFault;
};

/**
 * Returns the market with the orders that makers sign for a trade. Equal orders count once, since
 * the contract counts their fills together. A maker that fails is omitted and reported to
 * `onMissing`.
 */
export async function withQuotes(
  market: Market,
  request: QuoteRequest,
  makers: readonly Maker[],
  onMissing: (missing: MissingQuote) => void,
): Promise<Market> {
  const { chainId, makerOrders } = market;
  if (makerOrders === undefined) return market;
  const quotes = await Promise.all(
    makers
      .filter((maker) => maker.chainId === chainId)
      .map(async ({ name, quote }) => {
        try {
          return await quote(request, market);
        } catch (error) {
          if (!(error instanceof QuoteError)) throw error;
          onMissing({ maker: name, chainId, fault: error.fault });
          return [];
        }
      }),
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
