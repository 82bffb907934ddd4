import { UsageError } from '../output/usage-error.ts';
import type { TestFlags } from './test-command.ts';

/** What a command is to execute plans on. */
export type ForkFlags = {
  readonly baseUrl: string | undefined;
  readonly flags: Pick<TestFlags, 'fork' | 'maxTime'>;
  /** Whether nothing else is judged. */
  readonly executesOnly: boolean;
};

/** A node that is there answers sooner. */
const LONGEST_WAIT_MS = 15_000;

/**
 * Makes sure, before anything is judged, that the chains named can be forked.
 *
 * @throws {UsageError} if a node serves another chain than it was named for, or none was named where one is needed
 * @throws {NodeUnreachableError} if a node does not answer
 * @throws {AnvilNotFoundError} if there is no Anvil to fork with
 */
export async function checkForks({ baseUrl, flags, executesOnly }: ForkFlags): Promise<void> {
  const { fork: forks, maxTime } = flags;
  const longestMs = Math.min(LONGEST_WAIT_MS, (maxTime ?? Number.POSITIVE_INFINITY) * 1000);
  if (forks === undefined) {
    if (!executesOnly || baseUrl === undefined) return;
    throw new UsageError('execute needs a node of each chain: --fork CHAIN=RPC');
  }
  const { checkForkSources } = await import('../execution/fork-option.ts');
  await checkForkSources(forks, longestMs);
}
