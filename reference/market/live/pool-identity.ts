import type { FilePool } from '../../planner/pools/families.ts';

/** Immutable fields of a pool. Families add more. */
export type PoolIdentity = Pick<FilePool, 'address' | 'family' | 'source'> &
  (
    | { readonly token0: string; readonly token1: string }
    | { readonly tokens: readonly string[] }
  ) & {
    /** Only for pools with ticks. */
    readonly tickSpacing?: number;
    /** Only for pools whose contract holds several. */
    readonly poolId?: string;
  };
