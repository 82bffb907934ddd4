import type { ForkSource, SettleOn } from '../execution/fork.ts';
import { UsageError } from '../output/usage-error.ts';

/** The nodes on whose forks a command executes plans. */
export type ForkFlags = {
  readonly baseUrl: string | undefined;
  readonly flags: {
    readonly fork?: readonly ForkSource[];
    readonly settleOn?: SettleOn;
    readonly maxTime?: number;
  };
  /** Whether only settlement rules judge. */
  readonly executesOnly: boolean;
};

/**
 * Returns the nodes of `--fork`, or those in the environment if only settlement is judged, after a
 * check that their chains can be forked.
 *
 * @throws {UsageError} if a node serves another chain than the given one, or a required node is missing
 * @throws {NodeUnreachableError} if a node does not respond
 * @throws {AnvilNotFoundError} if Anvil is not installed
 */
export async function checkForks({
  baseUrl,
  flags,
  executesOnly,
}: ForkFlags): Promise<readonly ForkSource[] | undefined> {
  const { fork, settleOn, maxTime } = flags;
  if (fork === undefined && (!executesOnly || baseUrl === undefined)) return undefined;
  const { checkForkSources, forksInEnvironment } = await import('../execution/fork-option.ts');
  const forks = (fork ?? forksInEnvironment()).map((each) => ({
    ...each,
    ...(settleOn && { settleOn }),
  }));
  if (forks.length === 0) {
    throw new UsageError(
      'execute needs a node of each chain: pass --fork CHAIN=RPC or set SWAPCHECK_RPC_<CHAIN>',
    );
  }
  await checkForkSources(forks, maxTime);
  return forks;
}
