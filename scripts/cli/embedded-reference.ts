import type { Subject } from '../../conformance/commands/judge.ts';
import { builtInChain } from '../../fixtures/chains/built-in-chain.ts';

/**
 * Starts the reference in this process, with the embedded markets, on a free loopback port. The
 * chains start only when a plan is executed.
 */
export async function startEmbeddedReference(): Promise<Subject> {
  // Load the reference only when needed, because judging another service does not need it.
  const [{ startReference }, { DEMO_API_KEY }, { startPlanningThread }, { loadEmbeddedMarkets }] =
    await Promise.all([
      import('../../reference/server/app.ts'),
      import('../../reference/server/options.ts'),
      import('../../reference/server/planning-thread.ts'),
      import('../../reference/market/embedded-markets.ts'),
    ]);
  const markets = loadEmbeddedMarkets();
  const planning = startPlanningThread();
  const { planner } = planning;
  const { url, close } = await startReference({ markets, apiKeys: [DEMO_API_KEY], planner });
  const chains = markets.flatMap(({ chainId }) => {
    const chain = builtInChain(chainId);
    return chain === undefined ? [] : [{ chainId, ...chain }];
  });
  return {
    url,
    apiKey: DEMO_API_KEY,
    forks: chains.map(({ chainId, start }) => ({ chainId, rpcUrl: start, isOurs: true })),
    close: async () => {
      await Promise.all(chains.map(({ stop }) => stop()));
      await close();
      await planning.close();
    },
  };
}
