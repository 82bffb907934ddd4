import type { PoolKey } from '../../conformance/execution/encode-locked.ts';
import type { Address, SwapKind } from '../../conformance/model/trade-request.ts';
import type { Best } from './measured-trade.ts';

/** A pool as a plan names it. */
export type NamedPool = {
  readonly address: string;
  readonly source: string;
  /** What names it among the pools of one contract. */
  readonly key?: PoolKey;
};

/** A chain at one block. */
export type ChainAtBlock = {
  readonly chainId: number;
  /** Of a node that has the block: may hold a key. */
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

/** Finds the best plans there are; whoever starts a study hands one in. */
export interface Optimiser {
  /**
   * Returns the best plan for each trade over the pools that are named, or over
   * those of the user's own file, and which of the named ones could not be read:
   * what is no pool, such as a market maker, or of a family that is not known.
   */
  readonly best: (
    chain: ChainAtBlock,
    pools: readonly NamedPool[],
    trades: readonly TradeToBeat[],
  ) => Promise<{ readonly plans: readonly Best[]; readonly unread: ReadonlySet<NamedPool> }>;
}
