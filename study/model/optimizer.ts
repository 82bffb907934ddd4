import type { Address, SwapKind } from '../../conformance/model/trade-request.ts';
import type { Best } from './measured-trade.ts';
import type { PoolKey } from './pool-key.ts';

/** Pool that a plan names. */
export type NamedPool = {
  readonly address: string;
  readonly source: string;
  /** Identifies the pool among the pools of one contract. */
  readonly key?: PoolKey;
};

/** A chain at one block. */
export type ChainAtBlock = {
  readonly chainId: number;
  /** URL of a node that has the block. It may contain a key. */
  readonly rpcUrl: string;
  readonly block: number;
  readonly usdToken: string;
  readonly wrappedNative: string;
};

/** A trade for which to find the best plan. */
export type TradeToBeat = {
  readonly sellToken: Address;
  readonly buyToken: Address;
  readonly swapKind: SwapKind;
  readonly amount: bigint;
};

/** Finds the best plans. The program that starts a study passes in an optimizer. */
export interface Optimizer {
  /**
   * Returns the best plan for each trade over the named pools, or over the pools in the user's
   * file. Also returns the named pools that could not be read, because their family is unknown or
   * because they are not pools (such as market makers).
   */
  readonly best: (
    chain: ChainAtBlock,
    pools: readonly NamedPool[],
    trades: readonly TradeToBeat[],
  ) => Promise<{ readonly plans: readonly Best[]; readonly unread: ReadonlySet<NamedPool> }>;
}
