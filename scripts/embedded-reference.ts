import type { Subject } from '../conformance/commands/subject.ts';
import type { AnvilNode } from '../conformance/execution/anvil.ts';

/**
 * Starts the reference in this process, on the embedded markets, at a free port
 * of the loopback. Its chains are started when plans are first to be executed.
 */
export async function startEmbeddedReference(): Promise<Subject> {
  // Loaded only now: judging another service needs nothing of the reference.
  const [{ startReference }, { DEMO_API_KEY }, { loadEmbeddedMarkets }] = await Promise.all([
    import('../reference/server/start.ts'),
    import('../reference/server/demo-api-key.ts'),
    import('../reference/market/embedded-markets.ts'),
  ]);
  const markets = loadEmbeddedMarkets();
  const { url, close } = await startReference({ markets, apiKeys: [DEMO_API_KEY] });
  const nodes: Promise<AnvilNode>[] = [];
  const startChain = async (chainId: number): Promise<string> => {
    const { startFixtureChain } = await import('./fixture-chain.ts');
    const node = startFixtureChain(chainId);
    nodes.push(node);
    return (await node).url;
  };
  return {
    url,
    apiKey: DEMO_API_KEY,
    forks: markets.map(({ chainId }) => ({ chainId, rpcUrl: () => startChain(chainId) })),
    close: async () => {
      const started = await Promise.allSettled(nodes);
      await Promise.all(
        started.map((node) => (node.status === 'fulfilled' ? node.value.stop() : undefined)),
      );
      await close();
    },
  };
}
