import type { LoadResult } from '../model/load-result.ts';

/** Returns 0 for a passed run, 1 for a crossed threshold, 3 for an invalid or incomplete run. */
export function exitCodeOf({ verdict }: Pick<LoadResult, 'verdict'>): 0 | 1 | 3 {
  return verdict === 'passed' ? 0 : verdict === 'failed' ? 1 : 3;
}
