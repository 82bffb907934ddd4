import { afterAll, beforeAll } from 'vitest';
import { type AnvilNode, startAnvil } from '../node/anvil.ts';
import { type Fork, openFork } from './fork.ts';

/** Forks an empty chain for the tests of a file. The returned function returns the fork. */
export function useEmptyFork(chainId: number): () => Fork {
  let node: AnvilNode;
  let fork: Fork;
  beforeAll(async () => {
    node = await startAnvil({ chainId, timestamp: 1_750_000_000 });
    fork = await openFork({ chainId, rpcUrl: node.url });
  });
  afterAll(async () => {
    await fork.stop();
    await node.stop();
  });
  return () => fork;
}
