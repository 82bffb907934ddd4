import type { Address, SwapKind } from '../../conformance/model/trade-request.ts';
import type { Best } from './measured-trade.ts';

/** A pool as a plan names it. */
export type NamedPool = { readonly address: string; readonly source: string };

/** A chain at one block. */
export type ChainAtBlock = {
  readonly chainId: number;
  /** Of a node whose latest block it is: may hold a key. */
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
   * those of the user's own file; unknown where a pool
   * could not be read, or the chain has gone on.
   */
  readonly best: (
    chain: ChainAtBlock,
    pools: readonly NamedPool[],
    trades: readonly TradeToBeat[],
  ) => Promise<readonly Best[]>;
}
