import { createRequire } from 'node:module';
import type { BuiltInChain } from '../../../conformance/commands/replay-command.ts';
import type { AnvilNode } from '../../../conformance/execution/anvil.ts';

/** Returns a function that starts a fixture chain from its saved state, once. */
export const builtInChain: BuiltInChain = (chainId) => {
  if (!isBuiltIn(chainId)) return undefined;
  let node: Promise<AnvilNode> | undefined;
  return {
    start: async () => {
      node ??= import('./fixture-chain.ts').then((chain) => chain.startFixtureChain(chainId));
      return (await node).url;
    },
    stop: async () => (await node?.catch(() => undefined))?.stop(),
  };
};

function isBuiltIn(chainId: number): boolean {
  try {
    createRequire(import.meta.url).resolve(`#fixtures/markets/${chainId}.json`);
    return true;
  } catch {
    // It is not a fixture chain.
    return false;
  }
}
