import type { Market } from '../market/market.ts';
import { type Address, parseAddress } from '../planner/domain/address.ts';
import type { RoutingRequest } from '../planner/graph/plan.ts';
import type { MakerOrder } from '../planner/pools/maker-order.ts';

/** A trade for which a quote is requested from a market maker. */
export type QuoteRequest = Pick<
  RoutingRequest,
  'sellToken' | 'buyToken' | 'swapKind' | 'amount'
> & {
  /** Router that would fill the order. */
  readonly taker: Address;
};

/** Value of `taker` in an order that anyone may fill. */
export const ANYONE = parseAddress(`0x${'0'.repeat(40)}`);

/** An order and its maker's signature. */
export type SignedOrder = { readonly order: MakerOrder; readonly signature: `0x${string}` };

/** A market maker: a source of orders for trades on one chain. */
export type Maker = {
  readonly chainId: number;
  /**
   * Returns orders that can all be filled together, one for each of the maker's price levels.
   * Returns none if the maker declines the trade.
   */
  readonly quote: (request: QuoteRequest, market: Market) => Promise<readonly SignedOrder[]>;
};
