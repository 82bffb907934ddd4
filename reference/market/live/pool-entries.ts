import type { FilePool, Pool } from '../../planner/pools/families.ts';
import type { PoolsFile } from './pools-file.ts';

/** Returns the entry of a pool in a pools file. */
export function entryOf(pool: FilePool | Pool): PoolsFile['pools'][number] {
  const { family, address, source } = pool;
  if (family === 'maker-order') throw new Error('a pools file cannot contain an order');
  if (family !== 'singleton') return { family, address, source };
  const { isNative, token0, token1, feePips, tickSpacing } = pool;
  const currency0 = isNative ? `0x${'0'.repeat(40)}` : token0;
  return {
    family,
    address,
    source,
    key: { currency0, currency1: token1, fee: feePips, tickSpacing },
  };
}
