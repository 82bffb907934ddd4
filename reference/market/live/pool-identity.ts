import type { FilePool } from '../../planner/pools/families.ts';

/** Immutable fields of a pool. Families add more. */
export type PoolIdentity = Pick<FilePool, 'address' | 'family' | 'source'> &
  (
    | { readonly token0: string; readonly token1: string }
    | { readonly tokens: readonly string[] }
  ) & {
    /** Set only for a pool with ticks. */
    readonly tickSpacing?: number;
    /** Set only if one contract holds several pools. */
    readonly poolId?: string;
  };
