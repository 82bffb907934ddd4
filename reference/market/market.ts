import type { RouterName } from '../../conformance/contract/resources.ts';
import type { Address } from '../planner/domain/address.ts';
import type { PoolMarket } from '../planner/prices/pool-market.ts';

export type RouterDeployment = {
  readonly name: RouterName;
  readonly address: Address;
  /** The contract that users approve instead of the router, if there is one. */
  readonly tokenProxy?: Address;
  /** Names of the liquidity sources that the router can settle. */
  readonly sources: readonly string[];
};

/** The state of one chain at one block: the pools, and what settles plans through them. */
export type Market = PoolMarket & {
  readonly name: string;
  readonly block: {
    readonly number: number;
    /** In Unix seconds. */
    readonly timestamp: number;
    readonly hash: string;
  };
  /** The contract that fills market makers' orders, if there is one. */
  readonly makerOrders?: Address;
  readonly routers: readonly RouterDeployment[];
};

/** What becomes of a market that is followed. */
export type MarketChange =
  | { readonly kind: 'moved'; readonly chainId: number; readonly market: Market }
  /** It can no longer be read, and what is known of it is too old to trade on. */
  | { readonly kind: 'lost'; readonly chainId: number; readonly why: string };
