import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AnvilNode, startAnvil } from '../conformance/execution/anvil.ts';

/**
 * Starts the chain that the market file `fixtures/markets/<chainId>.json` was
 * read from, with every contract of it, at the same block. Loads a state that
 * the package brings; in a checkout, one that is built when it is first needed.
 *
 * @throws {UnknownFixtureChainError} if the fixtures have no such chain
 * @throws {FixtureStateMissingError} if the package was packed where no Anvil could run
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
  const packed = fileURLToPath(new URL(`../chains/${chainId}.json`, import.meta.url));
  if (existsSync(packed)) return packed;
  // Only here: the build needs viem and the packages of the contracts.
  const [{ chainSpecs }, { cachedChainState }] = await Promise.all([
    import('./fixtures/chains.ts'),
    import('./fixtures/chain-state.ts'),
  ]);
  const spec = chainSpecs.find((candidate) => candidate.chainId === chainId);
  if (spec === undefined) throw new UnknownFixtureChainError(chainId);
  const root = dirname(createRequire(import.meta.url).resolve('#package'));
  const isCheckout = existsSync(join(root, 'scripts', 'fixtures'));
  if (!isCheckout) throw new FixtureStateMissingError(chainId);
  return cachedChainState(spec);
}

export class UnknownFixtureChainError extends Error {
  override readonly name = 'UnknownFixtureChainError';

  constructor(chainId: number) {
    super(`the fixtures have no chain ${chainId}`);
  }
}

/** Thrown where neither the chain's state nor the sources to build it from are installed. */
export class FixtureStateMissingError extends Error {
  override readonly name = 'FixtureStateMissingError';

  constructor(chainId: number) {
    super(
      `this installation does not bring the state of chain ${chainId}: it was packed where no Anvil could run. ` +
        'Name a node of the chain instead, or work in a checkout',
    );
  }
}
