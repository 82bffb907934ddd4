import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ChainId } from '../client/chain-ids.ts';
import { packageVersion } from '../client/package-version.ts';
import type { Reach } from '../client/reach.ts';
import type { RouterNames } from '../client/router-names.ts';
import type { ForkSource } from '../execution/fork.ts';
import type { RunListener } from '../model/events.ts';
import type { Report } from '../model/report.ts';
import type { RunOptions } from '../runner/run-options.ts';
import type { OwnRule } from './define-rule.ts';

/** A service to judge: its root, or a listener such as Koa's `callback()`, an Express app, or Fastify's `routing`. */
export type Service = { readonly url: string } | { readonly listener: RequestListener };

export type ConformanceOptions = Pick<
  RunOptions,
  | 'only'
  | 'level'
  | 'seed'
  | 'maxRequests'
  | 'maxTimeMs'
  | 'rate'
  | 'concurrency'
  | 'tolerancePpm'
  | 'frozen'
  | 'bail'
  | 'requireFork'
  | 'profile'
  | 'waivers'
  | 'signal'
> &
  Reach & {
    readonly service: Service;
    /** Chains to judge; default, all that the service names. A bigint above 2^53. */
    readonly chains?: readonly ChainId[];
    /** Sent as `apiKey`, and shown nowhere. */
    readonly apiKey: string;
    /** How long to wait for a whole reply, in milliseconds; default 10,000. */
    readonly timeoutMs?: number;
    /** Read no more of a body, in bytes; default 16 MiB. */
    readonly maxBodyBytes?: number;
    /** What the service calls the routers of the specification. */
    readonly routerNames?: RouterNames;
    /** Nodes by chain, to settle plans on forks of them with Anvil; none, plans are not settled. */
    readonly forks?: readonly ForkSource[];
    /**
     * Paths with their queries, percent-encoded, `$SWAPCHECK_API_KEY` for the key: sent
     * in the place of the traffic that covers the market. Probes ask what they ask.
     */
    readonly requests?: readonly string[];
    /** Rules of your own, reported apart from those of the specification. */
    readonly rules?: readonly OwnRule[];
  };

/**
 * Judges a service and returns the report, however the service behaves; tells
 * `listener` of it as it goes. Prints nothing, reads no environment and hears no
 * signals of the process: `signal` ends it early, and the report then says so.
 *
 * @throws {UnknownRuleError} when `only` names nothing.
 * @throws {OwnRuleError} for a rule that is not what `defineRule` takes.
 * @throws {UsageError} for a URL or a request that is none.
 * @example
 * const report = await runConformance({ service: { url: 'http://127.0.0.1:8080' }, apiKey: 'demo' });
 * report.verdict // 'conforming'
 */
export async function runConformance(
  { service, rules = [], timeoutMs, ...options }: ConformanceOptions,
  listener?: RunListener,
): Promise<Report> {
  // Loaded only now: who imports a type or `defineRule` waits for none of it.
  const [{ judgeOver }, { parseBaseUrl }, { createHttpTransport }, { readOwnRules }] =
    await Promise.all([
      import('./judge-over.ts'),
      import('../client/base-url.ts'),
      import('../client/http-transport.ts'),
      import('./own-rules.ts'),
    ]);
  const ownRules = readOwnRules(rules);
  const opened = 'url' in service ? undefined : await open(service.listener);
  try {
    const url = parseBaseUrl('url' in service ? service.url : (opened?.url ?? ''));
    const { concurrency = 8, maxBodyBytes = 16 * 2 ** 20 } = options;
    const { headers, proxy, ca, certificate, insecure } = options;
    const reach = { headers, proxy, ca, certificate, insecure };
    const transport = createHttpTransport(url, {
      ...reach,
      timeoutMs,
      maxBodyBytes,
      connections: concurrency,
    });
    const target = url.href.replace(/\/$/, '');
    const version = packageVersion();
    return await judgeOver({ ...options, reach, transport, target, ownRules, version }, listener);
  } finally {
    await opened?.close();
  }
}

/** Lets a listener answer at a free port of the loopback. */
async function open(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.close().closeAllConnections();
    await once(server, 'close');
  };
  return { url: `http://127.0.0.1:${port}`, close };
}
