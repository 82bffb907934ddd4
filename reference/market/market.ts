import type { RouterName } from '../../conformance/contract/resources.ts';
import type { Address } from '../domain/address.ts';
import type { Token } from '../domain/token.ts';
import type { Pool } from '../pools/families.ts';

export type RouterDeployment = {
  readonly name: RouterName;
  readonly address: Address;
  /** The contract that users approve instead of the router, if there is one. */
  readonly tokenProxy?: Address;
  /** Names of the liquidity sources that the router can settle. */
  readonly sources: readonly string[];
};

/** The state of one chain at one block: all that routing reads. */
export type Market = {
  readonly chainId: number;
  readonly name: string;
  readonly block: {
    readonly number: number;
    /** In Unix seconds. */
    readonly timestamp: number;
    readonly hash: string;
  };
  /** The token at 1 USD that prices are counted in. */
  readonly usdToken: Address;
  readonly wrappedNative: Address;
  /** The contract that fills market makers' orders, if there is one. */
  readonly makerOrders?: Address;
  /** What a unit of gas costs; unset where that is not known. */
  readonly gasPriceWei?: bigint;
  readonly tokens: ReadonlyMap<Address, Token>;
  readonly pools: readonly Pool[];
  readonly routers: readonly RouterDeployment[];
};

/** What becomes of a market that is followed. */
export type MarketChange =
  | { readonly kind: 'moved'; readonly chainId: number; readonly market: Market }
  /** It can no longer be read, and what is known of it is too old to trade on. */
  | { readonly kind: 'lost'; readonly chainId: number; readonly why: string };
