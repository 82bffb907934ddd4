import type { Chain, ChainInfo, TokenInfo } from '../contract/resources.ts';

/** What a service said of itself, learned before it is judged. */
export type Facts = {
  readonly chains: readonly Chain[];
  /** By chain id; a chain whose details could not be read is absent. */
  readonly chainInfo: ReadonlyMap<number, ChainInfo>;
  /** By chain id. */
  readonly tokens: ReadonlyMap<number, readonly TokenInfo[]>;
};
