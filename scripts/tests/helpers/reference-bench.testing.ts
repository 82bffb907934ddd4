import type { Middleware } from 'koa';
import { createClient } from '../../../conformance/client/client.ts';
import { createHttpTransport } from '../../../conformance/client/http-transport.ts';
import { discover } from '../../../conformance/discovery/discover.ts';
import type { RunningSource } from '../../../conformance/execution/fork.ts';
import type { Session } from '../../../conformance/model/session.ts';
import { loadEmbeddedMarkets } from '../../../reference/market/embedded-markets.ts';
import { startReference } from '../../../reference/server/start.ts';
import { startFixtureChain } from '../../program/chains/fixture-chain.ts';

/** References on the fixture markets, and the chains on which their plans settle. */
export type ReferenceBench = Awaited<ReturnType<typeof startReferenceBench>>;

export async function startReferenceBench(chainIds: readonly number[]) {
  const nodes = await Promise.all(
    chainIds.map(async (chainId) => ({ chainId, node: await startFixtureChain(chainId) })),
  );
  const markets = loadEmbeddedMarkets().filter(({ chainId }) => chainIds.includes(chainId));
  const closing: (() => Promise<void>)[] = [];

  async function startGet(middleware?: Middleware): Promise<Session['get']> {
    const reference = await startReference({
      markets,
      ...(middleware && { middleware: [middleware] }),
    });
    const client = createClient({
      apiKey: 'demo',
      transport: createHttpTransport(new URL(reference.url), { connections: 8 }),
    });
    closing.push(async () => {
      await client.close();
      await reference.close();
    });
    return (target) => client.send(target, new AbortController().signal, (exchange) => exchange);
  }

  return {
    sources: nodes.map(({ chainId, node }): RunningSource => ({ chainId, rpcUrl: node.url })),
    /** Returns a session with a separate reference, behind the middleware if one is given. */
    session: async (middleware?: Middleware): Promise<Session> => {
      const get = await startGet(middleware);
      return {
        facts: await discover({ get, chains: [] }),
        get,
        seed: 1,
        frozen: false,
        tolerancePpm: 0,
      };
    },
    stop: async () => {
      await Promise.all(closing.map((close) => close()));
      await Promise.all(nodes.map(({ node }) => node.stop()));
    },
  };
}
