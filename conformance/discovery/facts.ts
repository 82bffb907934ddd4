import type { Chain, ChainInfo, RouterName, TokenInfo } from '../contract/resources.ts';

/**
 * Maximum number of chains to explore, unless the user names the chains. Further chains are only
 * counted.
 */
export const MAX_EXPLORED_CHAINS = 200;

/** Facts about a service, discovered before it is judged. Unreadable parts are missing. */
export type Facts = {
  readonly chains: readonly ListedChain[];
  /** Chain info by chain id. A chain whose info is unreadable is missing. */
  readonly chainInfo: ReadonlyMap<number, KnownChainInfo>;
  /** Listed tokens by chain id. */
  readonly tokens: ReadonlyMap<number, readonly ListedToken[]>;
  /** Markets of the chains in scope (`--chain`) by chain id, in the service's order. */
  readonly markets: ReadonlyMap<number, ChainMarket>;
  /** Number of listed chains that discovery did not explore, because there are too many. */
  readonly unexploredChains?: number;
};

/** A chain in /chains, whose name may be missing or no string. */
export type ListedChain = Pick<Chain, 'chainId'> & { readonly name?: unknown };

/** A token in /tokens, whose metadata may be missing or malformed. */
export type ListedToken = Omit<TokenInfo, 'metadata'>;

export type KnownChainInfo = ChainInfo & {
  /** Names of listed routers whose other fields are unreadable. */
  readonly unreadableRouters?: readonly unknown[];
};

/** Tokens, pairs and routers that can be traded on one chain. */
export type ChainMarket = {
  readonly chainId: number;
  /**
   * `evm` if most addresses are 20 bytes of hex. Rules on such addresses do not apply to `other`.
   */
  readonly addresses: 'evm' | 'other';
  /** Pairs that returned a plan, the most useful first. Includes the native token. */
  readonly pairs: readonly TradedPair[];
  /** Pairs of listed tokens that were rejected with a 4xx status at every amount. */
  readonly pairsWithoutPlan: readonly (readonly [sell: Asset, buy: Asset])[];
  /**
   * Pairs of tried tokens that discovery did not request, with amounts derived from prices in
   * plans.
   */
  readonly untriedPairs?: readonly TradedPair[];
  /**
   * True if the amounts in returned plans cannot be read. The buy amounts of pairs are then
   * estimated from prices.
   */
  readonly hasUnreadableAmounts?: true;
  /** Routers that returned a plan, and whether they returned calldata. */
  readonly routers: ReadonlyMap<RouterName, 'plan' | 'calldata'>;
  /** Routers that were requested; unset if no traded pair allowed such a request. */
  readonly requestedRouters?: readonly RouterName[];
  /** Account for which calldata is requested, if the run names one. */
  readonly user?: string | undefined;
  /** Status and words with which the service rejected calldata, if no router returned any. */
  readonly calldataRejection?: string | undefined;
  readonly nativeTokenUsdPrice: number | undefined;
  /** Unset if a pair and an amount suffice for a plan. */
  readonly requiredParameters?: RequiredParameters;
};

/**
 * Parameters that every plan of a chain requires besides a pair and an amount: a router if there is
 * no default one, or RFQ if no pool trades.
 */
export type RequiredParameters = readonly (readonly [name: 'router' | 'useRfq', value: string])[];

/**
 * A pair, and amounts that the service quoted for it. The request contained only the chain's
 * required parameters.
 */
export type TradedPair = {
  readonly sell: Asset;
  readonly buy: Asset;
  /** Base units for which a plan was returned. */
  readonly sellAmount: bigint;
  readonly buyAmount: bigint;
};

/** A token, as requests write it. */
export type Asset = {
  /** Address as the service writes it, or the all-zero alias of the native token. */
  readonly address: string;
  readonly symbol: string;
  readonly decimals: number;
  /** Price in USD, from a plan. */
  readonly usdPrice: number | undefined;
  readonly native: boolean;
};
