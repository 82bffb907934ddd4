import type { Chain, ChainInfo, RouterName, TokenInfo } from '../contract/resources.ts';

/** What a service said of itself, learned before it is judged. Whatever could not be read is absent. */
export type Facts = {
  readonly chains: readonly Chain[];
  /** By chain id; a chain whose details could not be read is absent. */
  readonly chainInfo: ReadonlyMap<number, ChainInfo>;
  /** By chain id. */
  readonly tokens: ReadonlyMap<number, readonly TokenInfo[]>;
  /** By chain id: the chains in scope (`--chain`), in the service's order. */
  readonly markets: ReadonlyMap<number, ChainMarket>;
};

/** What can be traded on one chain. */
export type ChainMarket = {
  readonly chainId: number;
  /** `evm` where every address seen is 20 bytes of hex; rules on such addresses do not fit `other`. */
  readonly addresses: 'evm' | 'other';
  /** Pairs that were answered with a plan, most valuable to ask for first; native sides included. */
  readonly pairs: readonly TradedPair[];
  /** Pairs of listed tokens that were rejected with a 4xx status at every amount. */
  readonly refusedPairs: readonly (readonly [sell: Asset, buy: Asset])[];
  /** Pairs that were not asked for, of the tokens that were, with amounts that plans told the price of. */
  readonly untriedPairs?: readonly TradedPair[];
  /** Set if plans were returned whose amounts cannot be read: buy amounts of pairs are then estimates by price. */
  readonly hasUnreadableAmounts?: true;
  /** Routers that answered a plan at all; those with calldata say so. */
  readonly routers: ReadonlyMap<RouterName, 'plan' | 'calldata'>;
  /** Routers that were asked; absent, no pair traded by which to ask. */
  readonly askedRouters?: readonly RouterName[];
  readonly nativeTokenUsdPrice: number | undefined;
  /** Absent where a pair and an amount are enough to be answered with a plan. */
  readonly requiredParameters?: RequiredParameters;
};

/**
 * Parameters that every plan of a chain needs beside a pair and an amount: a
 * router where the default one is not there, RFQ where no pool trades.
 */
export type RequiredParameters = readonly (readonly [name: 'router' | 'useRfq', value: string])[];

/** A pair with an amount on each side that the service quoted, with the chain's required parameters alone. */
export type TradedPair = {
  readonly sell: Asset;
  readonly buy: Asset;
  /** Base units: a trade that was answered with a plan. */
  readonly sellAmount: bigint;
  readonly buyAmount: bigint;
};

/** A token as requests name it. */
export type Asset = {
  /** As the service spells it; for native, the all-zero alias. */
  readonly address: string;
  readonly symbol: string;
  readonly decimals: number;
  /** Learned from a plan. */
  readonly usdPrice: number | undefined;
  readonly native: boolean;
};
