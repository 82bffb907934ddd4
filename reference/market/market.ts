import type { RouterName } from '../../conformance/contract/resources.ts';
import type { Address } from '../planner/domain/address.ts';
import type { PoolMarket } from '../planner/prices/pool-market.ts';

export type RouterDeployment = {
  readonly name: RouterName;
  readonly address: Address;
  /** The contract that users approve instead of the router, if there is one. */
  readonly tokenProxy?: Address;
  /** Names of the liquidity sources through which the router can settle. */
  readonly sources: readonly string[];
};

/**
 * State of a chain at one block: its pools, and the routers that settle plans through the pools.
 */
export type Market = PoolMarket & {
  readonly name: string;
  readonly block: {
    readonly number: number;
    /** Unix seconds. */
    readonly timestamp: number;
    readonly hash: string;
  };
  /** The contract that fills market makers' orders, if there is one. */
  readonly makerOrders?: Address;
  readonly routers: readonly RouterDeployment[];
};

/** A change to a followed market. */
export type MarketChange =
  | { readonly kind: 'moved'; readonly chainId: number; readonly market: Market }
  /** The market can no longer be read, and its last state is too old to trade on. */
  | { readonly kind: 'lost'; readonly chainId: number; readonly why: string };
