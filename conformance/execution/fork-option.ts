import { InvalidArgumentError, Option } from 'commander';
import { UsageError } from '../output/usage-error.ts';
import type { ForkSource } from './fork.ts';

/** Returns the option `--fork`, repeatable. */
export function forkOption(): Option {
  return new Option(
    '--fork <chain=rpc>',
    'execute plans on a fork of this chain, repeatable',
  ).argParser<ForkSource[]>((text, earlier = []) => [...earlier, parseFork(text)]);
}

function parseFork(text: string): ForkSource {
  const [, chain, rpcUrl = ''] = /^([0-9]{1,15})=(https?:\/\/.+)$/.exec(text) ?? [];
  if (chain === undefined || !URL.canParse(rpcUrl)) {
    throw new InvalidArgumentError('Expected CHAIN=RPC, such as 1=https://node.example.');
  }
  return { chainId: Number(chain), rpcUrl };
}

/**
 * Makes sure that the chains named can be forked.
 *
 * @throws {UsageError} if a node serves another chain than it was named for
 * @throws {NodeUnreachableError} if a node does not answer
 * @throws {AnvilNotFoundError} if there is no Anvil to fork with
 */
export async function checkForkSources(
  forks: readonly ForkSource[],
  longestMs?: number,
): Promise<void> {
  const { checkForkSource, startSource, WrongChainError } = await import('./fork.ts');
  const { findAnvil } = await import('./find-anvil.ts');
  findAnvil();
  try {
    await Promise.all(
      forks.map(async (fork) => checkForkSource(await startSource(fork), longestMs)),
    );
  } catch (error) {
    if (error instanceof WrongChainError) throw new UsageError(`--fork: ${error.message}`);
    throw error;
  }
}
