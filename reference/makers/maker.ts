import type { Market } from '../market/market.ts';
import { type Address, parseAddress } from '../planner/domain/address.ts';
import type { RoutingRequest } from '../planner/graph/plan.ts';
import type { MakerOrder } from '../planner/pools/maker-order.ts';

/** What a market maker is asked: one trade. */
export type QuoteRequest = Pick<
  RoutingRequest,
  'sellToken' | 'buyToken' | 'swapKind' | 'amount'
> & {
  /** The router that would fill the order. */
  readonly taker: Address;
};

/** The `taker` of an order that anyone may fill. */
export const ANYONE = parseAddress(`0x${'0'.repeat(40)}`);

/** An order with its maker's signature, as a maker gives it. */
export type SignedOrder = { readonly order: MakerOrder; readonly signature: `0x${string}` };

/** A source of orders for the trades of one chain. */
export type Maker = {
  /** What stands for it in the log: no URL, since that may hold a key. */
  readonly name: string;
  readonly chainId: number;
  /**
   * Orders that may all be filled together, each a level of the maker's price;
   * none if the maker does not want the trade.
   *
   * @throws {QuoteError} if the maker fails
   */
  readonly ask: (request: QuoteRequest, market: Market) => Promise<readonly SignedOrder[]>;
};

/** Why a maker's quote is of no use. */
export type QuoteFault =
  /** As many quotes as may be are awaited of it. */
  | 'busy'
  | 'unreachable'
  | 'too-late'
  | 'refused'
  | 'malformed'
  | 'other-trade'
  | 'expired'
  | 'bad-signature';

/** Thrown for a quote that is of no use. */
export class QuoteError extends Error {
  override readonly name = 'QuoteError';
  readonly fault: QuoteFault;

  constructor(fault: QuoteFault, cause?: unknown) {
    super(`no quote: ${fault}`, { cause });
    this.fault = fault;
  }
}
