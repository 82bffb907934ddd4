import type { RouterName } from '../../conformance/contract/resources.ts';
import type { Address } from '../planner/domain/address.ts';
import type { PoolMarket } from '../planner/prices/pool-market.ts';

export type RouterDeployment = {
  readonly name: RouterName;
  readonly address: Address;
  /** Contract that users approve instead of the router, if there is one. */
  readonly tokenProxy?: Address;
  /** Names of the sources that the router can settle. */
  readonly sources: readonly string[];
};

/** State of one chain at one block: its pools, and the routers that settle plans through them. */
export type Market = PoolMarket & {
  readonly name: string;
  readonly block: {
    readonly number: number;
    /** Unix seconds. */
    readonly timestamp: number;
    readonly hash: string;
  };
  /** Contract that fills market makers' orders, if there is one. */
  readonly makerOrders?: Address;
  readonly routers: readonly RouterDeployment[];
};

/** Change of a market that is followed. */
export type MarketChange =
  | { readonly kind: 'moved'; readonly chainId: number; readonly market: Market }
  /** The market can no longer be read, and its last state is too old for trades. */
  | { readonly kind: 'lost'; readonly chainId: number; readonly why: string };
