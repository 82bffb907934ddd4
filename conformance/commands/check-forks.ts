import type { ForkSource, SettleOn } from '../execution/fork/fork.ts';
import type { ConformanceOptions } from '../library/run-conformance.ts';
import type { Rule } from '../model/rule.ts';
import { UsageError } from '../output/usage-error.ts';

/**
 * Returns the nodes of `--fork`, or those in the environment if only settlement is judged, after a
 * check that their chains can be forked.
 *
 * @throws {UsageError} if a node serves another chain than the given one, or a required node is missing
 * @throws {NodeUnreachableError} if a node does not respond
 * @throws {AnvilNotFoundError} if Anvil is not installed
 */
export async function checkForks(
  url: URL | undefined,
  kinds: readonly Rule['kind'][],
  {
    forks: named,
    maxTimeMs,
    settleOn,
  }: Pick<ConformanceOptions, 'forks' | 'maxTimeMs'> & { readonly settleOn?: SettleOn },
): Promise<readonly ForkSource[] | undefined> {
  const executesOnly = kinds.length > 0;
  if (named === undefined && (!executesOnly || url === undefined)) return undefined;
  const { checkForkSources, forksInEnvironment } = await import('../execution/fork/fork-option.ts');
  const forks = (named ?? forksInEnvironment()).map((each) => ({
    ...each,
    ...(settleOn && { settleOn }),
  }));
  if (forks.length === 0) {
    throw new UsageError(
      'execute needs a node of each chain: pass --fork CHAIN=RPC or set SWAPCHECK_RPC_<CHAIN>',
    );
  }
  await checkForkSources(forks, maxTimeMs && maxTimeMs / 1000);
  return forks;
}
