import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AnvilNode, startAnvil } from '../../../conformance/execution/anvil.ts';

/**
 * Starts the chain from which the market file `fixtures/markets/<chainId>.json`
 * was read, with all its contracts, at the same block. `npm run build`, or else the first
 * use, builds its state: most of its contracts belong to other projects and are not shipped.
 *
 * @throws {UnknownFixtureChainError} if it is not a fixture chain
 * @throws `ContractsNotFetchedError` if it must be built and npm cannot fetch the contracts
 * @throws {AnvilNotFoundError} if there is no Anvil to run
 * @example
 * const node = await startFixtureChain(31337);
 * // ... fork it: startAnvil({ fork: { url: node.url } })
 * await node.stop();
 */
export async function startFixtureChain(chainId: number): Promise<AnvilNode> {
  return startAnvil({ chainId, loadState: await stateFile(chainId) });
}

async function stateFile(chainId: number): Promise<string> {
  const built = [
    fileURLToPath(new URL(`../../../chains/${chainId}.json`, import.meta.url)),
    // The states of the single executable are in its folder.
    join(dirname(process.execPath), 'chains', `${chainId}.json`),
  ].find((path) => existsSync(path));
  if (built !== undefined) return built;
  // Loaded here, since the build needs viem and the packages of the contracts.
  const { chainSpecs } = await import('./chains.ts');
  const spec = chainSpecs.find((candidate) => candidate.chainId === chainId);
  if (spec === undefined) throw new UnknownFixtureChainError(chainId);
  const root = dirname(createRequire(import.meta.url).resolve('#package'));
  if (existsSync(join(root, 'scripts', 'program', 'chains'))) {
    return (await import('./chain-state.ts')).cachedChainState(spec);
  }
  return (await import('./installed-state.ts')).installedChainState(chainId);
}

export class UnknownFixtureChainError extends Error {
  override readonly name = 'UnknownFixtureChainError';

  constructor(chainId: number) {
    super(`the fixtures have no chain ${chainId}`);
  }
}
