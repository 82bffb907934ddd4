import type { Address, SwapKind } from '../../conformance/model/trade-request.ts';
import type { Best } from './measured-trade.ts';
import type { PoolKey } from './pool-key.ts';

/** A pool as named in a plan. */
export type NamedPool = {
  readonly address: string;
  readonly source: string;
  /** Identifies it among the pools of one contract. */
  readonly key?: PoolKey;
};

/** A chain at one block. */
export type ChainAtBlock = {
  readonly chainId: number;
  /** URL of a node that has the block; may contain a key. */
  readonly rpcUrl: string;
  readonly block: number;
  readonly usdToken: string;
  readonly wrappedNative: string;
};

/** A trade to find the best plan for. */
export type TradeToBeat = {
  readonly sellToken: Address;
  readonly buyToken: Address;
  readonly swapKind: SwapKind;
  readonly amount: bigint;
};

/** Finds the best plans; given by the program that starts a study. */
export interface Optimizer {
  /**
   * Returns the best plan for each trade over the pools that are named, or over
   * those of the user's own file, and which of the named ones could not be read:
   * something other than a pool, such as a market maker, or an unknown family.
   */
  readonly best: (
    chain: ChainAtBlock,
    pools: readonly NamedPool[],
    trades: readonly TradeToBeat[],
  ) => Promise<{ readonly plans: readonly Best[]; readonly unread: ReadonlySet<NamedPool> }>;
}
