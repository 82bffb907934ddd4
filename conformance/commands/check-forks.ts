import type { ForkSource } from '../execution/fork.ts';
import { UsageError } from '../output/usage-error.ts';

/** Where a command executes plans. */
export type ForkFlags = {
  readonly baseUrl: string | undefined;
  readonly flags: { readonly fork?: readonly ForkSource[]; readonly maxTime?: number };
  /** Whether nothing else is judged. */
  readonly executesOnly: boolean;
};

/**
 * Checks, before anything is judged, that the given chains can be forked, and
 * returns their nodes: those of `--fork`, or those in the environment if only
 * settlement is judged.
 *
 * @throws {UsageError} if a node serves another chain than it was named for, or none was named where one is needed
 * @throws {NodeUnreachableError} if a node does not answer
 * @throws {AnvilNotFoundError} if there is no Anvil to fork with
 */
export async function checkForks({
  baseUrl,
  flags,
  executesOnly,
}: ForkFlags): Promise<readonly ForkSource[] | undefined> {
  const { fork, maxTime } = flags;
  if (fork === undefined && (!executesOnly || baseUrl === undefined)) return undefined;
  const { checkForkSources, forksInEnvironment } = await import('../execution/fork-option.ts');
  const forks = fork ?? forksInEnvironment();
  if (forks.length === 0) {
    throw new UsageError(
      'execute needs a node of each chain: --fork CHAIN=RPC, or SWAPCHECK_RPC_<CHAIN> in the environment',
    );
  }
  await checkForkSources(forks, maxTime);
  return forks;
}
