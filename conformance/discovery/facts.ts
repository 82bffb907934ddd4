import type { Chain, ChainInfo, RouterName, TokenInfo } from '../contract/resources.ts';

/** Facts about a service, discovered before it is judged. Unreadable parts are absent. */
export type Facts = {
  readonly chains: readonly Chain[];
  /** By chain id; a chain with unreadable details is absent. */
  readonly chainInfo: ReadonlyMap<number, ChainInfo>;
  /** By chain id. */
  readonly tokens: ReadonlyMap<number, readonly TokenInfo[]>;
  /** By chain id: the chains in scope (`--chain`), in the service's order. */
  readonly markets: ReadonlyMap<number, ChainMarket>;
};

/** Tokens, pairs and routers of one chain that can be traded. */
export type ChainMarket = {
  readonly chainId: number;
  /**
   * `evm` if every address seen is 20 bytes of hex; rules on such addresses do not apply to
   * `other`.
   */
  readonly addresses: 'evm' | 'other';
  /** Pairs for which a plan was returned, the most useful first. Includes the native token. */
  readonly pairs: readonly TradedPair[];
  /** Pairs of listed tokens that were rejected with a 4xx status at every amount. */
  readonly pairsWithoutPlan: readonly (readonly [sell: Asset, buy: Asset])[];
  /**
   * Pairs of the tried tokens that were not requested, with amounts derived from prices in plans.
   */
  readonly untriedPairs?: readonly TradedPair[];
  /**
   * Set if plans were returned whose amounts cannot be read: buy amounts of pairs are then
   * estimates by price.
   */
  readonly hasUnreadableAmounts?: true;
  /** Routers that returned a plan, and whether they returned calldata. */
  readonly routers: ReadonlyMap<RouterName, 'plan' | 'calldata'>;
  /** Routers that were requested; absent if no pair traded to request them with. */
  readonly requestedRouters?: readonly RouterName[];
  readonly nativeTokenUsdPrice: number | undefined;
  /** Absent if a pair and an amount suffice for a plan. */
  readonly requiredParameters?: RequiredParameters;
};

/**
 * Parameters that every plan of a chain needs besides a pair and an amount: a router if there is no
 * default one, RFQ if no pool trades.
 */
export type RequiredParameters = readonly (readonly [name: 'router' | 'useRfq', value: string])[];

/**
 * A pair with an amount on each side that the service quoted, with only the chain's required
 * parameters.
 */
export type TradedPair = {
  readonly sell: Asset;
  readonly buy: Asset;
  /** Base units: a trade for which a plan was returned. */
  readonly sellAmount: bigint;
  readonly buyAmount: bigint;
};

/** A token in the notation of requests. */
export type Asset = {
  /** The address as the service writes it; for the native token, the all-zero alias. */
  readonly address: string;
  readonly symbol: string;
  readonly decimals: number;
  /** Read from a plan. */
  readonly usdPrice: number | undefined;
  readonly native: boolean;
};
