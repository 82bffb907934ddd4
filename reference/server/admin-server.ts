import cluster from 'node:cluster';
import { createServer } from 'node:http';
import type { AggregatorRegistry } from 'prom-client';
import { type Listening, listen } from './http-server.ts';
import { READY, type ServiceMetrics } from './service-metrics.ts';

/** Where operators ask how the service is. */
export type AdminAddress = { readonly port: number; readonly host: string };

/**
 * Serves, without a key, `/healthz` (200 while the process lives), `/readyz`
 * (200 while it takes requests and can quote every chain, else 503) and
 * `/metrics`, all from the text that `readMetrics` gives.
 *
 * @throws {CannotListenError} if the address is taken
 */
export function startAdminServer(
  { port, host }: AdminAddress,
  readMetrics: () => Promise<string>,
): Promise<Listening> {
  const server = createServer(async ({ url, method }, response) => {
    const answer = (status: number, body: string) => {
      response.writeHead(status, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' });
      response.end(method === 'HEAD' ? undefined : body);
    };
    if (url === '/healthz') return answer(200, 'alive\n');
    if (url !== '/readyz' && url !== '/metrics') return answer(404, 'not found\n');
    try {
      const text = await readMetrics();
      if (url === '/metrics') return answer(200, text);
      const why = whyNotReady(text);
      answer(why === undefined ? 200 : 503, `${why ?? 'ready'}\n`);
    } catch (cause) {
      answer(503, `no figures: ${cause instanceof Error ? cause.message : cause}\n`);
    }
  });
  return listen(server, port, host);
}

/** Lets the process that supervises this one ask for its figures. */
export async function shareMetrics({ registry }: ServiceMetrics): Promise<void> {
  if (!cluster.isWorker) return;
  const { AggregatorRegistry } = await import('prom-client');
  AggregatorRegistry.setRegistries([registry]);
  new AggregatorRegistry();
}

/** Returns what reads the figures of all workers as one. */
export async function workersMetrics(): Promise<() => Promise<string>> {
  const { AggregatorRegistry } = await import('prom-client');
  const registry: AggregatorRegistry<'text/plain; version=0.0.4; charset=utf-8'> =
    new AggregatorRegistry();
  return () => registry.clusterMetrics();
}

function whyNotReady(metrics: string): string | undefined {
  const lost = [...metrics.matchAll(/^swapcheck_reference_market_lost\{chain="(\d+)"\} 1$/gm)];
  if (lost.length > 0) return `market lost: ${lost.map(([, chain]) => chain).join(', ')}`;
  return metrics.includes(`\n${READY} 1`) ? undefined : 'starting or draining';
}
