import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseBaseUrl } from '../client/base-url.ts';
import { createClient, NO_API_KEY } from '../client/client.ts';
import { createHttpTransport } from '../client/http-transport.ts';
import { packageVersion } from '../client/package-version.ts';
import { parseTarget } from '../client/request.ts';
import { PROFILES } from '../generate/budget.ts';
import { MARKET_GENERATOR, type RequestGenerator } from '../generate/generator.ts';
import type { RunListener } from '../model/events.ts';
import type { Report } from '../model/report.ts';
import { runRules } from '../runner/run.ts';
import { catalogWith } from './own-rules.ts';
import type { ConformanceOptions } from './run-conformance.ts';

/** Default maximum size of a body. */
const MAX_BODY_BYTES = 16 * 2 ** 20;
/** Minimum bytes of a body for each of its JSON values, in any plan and any list of tokens. */
const MIN_BYTES_PER_VALUE = 8;

/** Judges a service. @see runConformance */
export async function judgeService(
  { service, rules, kinds, requests, chains = [], forks = [], ...options }: ConformanceOptions,
  listener?: RunListener,
): Promise<Report> {
  const { apiKey, routerNames, timeoutMs, maxBodyBytes = MAX_BODY_BYTES, ...run } = options;
  const { headers, proxy, ca, certificate, insecure } = run;
  const reach = { headers, proxy, ca, certificate, insecure };
  const selectable = catalogWith(rules, kinds);
  const generator = requests && replaying(requests);
  const opened = 'url' in service ? undefined : await listen(service.listener);
  try {
    const url = parseBaseUrl('url' in service ? service.url : (opened?.url ?? ''));
    const connections = run.concurrency ?? 8;
    const transport = createHttpTransport(url, { ...reach, timeoutMs, maxBodyBytes, connections });
    const maxValues = maxBodyBytes / MIN_BYTES_PER_VALUE;
    const client = createClient({ transport, reach, chains, apiKey, routerNames, maxValues });
    const plans = PROFILES[run.profile ?? 'standard'].settledPlans;
    const report = runRules(
      {
        ...{ ...run, client, generator, rules: selectable },
        ...{ chains: chains.map(Number), target: url.href.replace(/\/$/, '') },
        version: packageVersion(),
        ...(apiKey === '' && { hindrance: NO_API_KEY }),
        ...(forks.length > 0 && {
          openExecutor: async (session) =>
            (await import('../execution/executor.ts')).createExecutor({ forks, plans }, session),
        }),
      },
      listener,
    );
    return await report.finally(client.close);
  } finally {
    await opened?.close();
  }
}

/** Returns a generator that sends the given requests instead of its own traffic. */
function replaying(requests: readonly string[]): RequestGenerator {
  const targets = requests.map(parseTarget);
  return { ...MARKET_GENERATOR, traffic: () => targets, simplify: () => [] };
}

/** Serves a listener at a free port of the loopback. */
async function listen(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.close().closeAllConnections();
    await once(server, 'close');
  };
  return { url: `http://127.0.0.1:${port}`, close };
}
