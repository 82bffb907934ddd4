import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NO_API_KEY } from '../client/api-key.ts';
import { parseBaseUrl } from '../client/base-url.ts';
import type { Access } from '../client/client.ts';
import { parseTarget } from '../client/request.ts';
import { DEFAULT_PROFILE, PROFILES } from '../generate/budget.ts';
import type { RequestGenerator } from '../generate/generator.ts';
import type { RunListener } from '../model/events.ts';
import type { Report } from '../model/report.ts';
import type { Rule } from '../model/rule.ts';
import type { Settings } from '../runner/run-options.ts';
import type { ForkSource } from '../service/fork-option.ts';
import type { OwnRule } from './define-rule.ts';

/**
 * A service to judge: its URL, with a name that reports show next to it; or a listener, such as
 * Koa's `callback()`, an Express app, or Fastify's `routing`.
 */
export type Service =
  | { readonly url: string; readonly name?: string }
  | { readonly listener: RequestListener };

/** Settings of a run and of the client. */
export type ConformanceOptions = Settings &
  Omit<Access, 'connections'> & {
    readonly service: Service;
    /** API key, sent as `apiKey` and never shown. If empty, nothing is judged. */
    readonly apiKey: string;
    /**
     * Nodes of the chains to fork. The run settles plans on these forks. If unset, no plans are
     * settled.
     */
    readonly forks?: readonly ForkSource[] | undefined;
    /** Kinds of rules to apply. Default: all. */
    readonly kinds?: readonly Rule['kind'][] | undefined;
    /**
     * Requests that replace the usual traffic: percent-encoded paths with queries, and
     * `$SWAPCHECK_API_KEY` for the key. Probes still send their own requests.
     */
    readonly requests?: readonly string[] | undefined;
    /** Custom rules, reported separately from those of the specification. */
    readonly rules?: readonly OwnRule[] | undefined;
  };

/**
 * Judges a service and returns the report, however the service behaves. Passes events to `listener`
 * during the run. Prints nothing, reads no environment variables and handles no process signals. If
 * `signal` ends the run early, the report states this.
 *
 * @throws {UnknownRuleError} if an entry of `only` matches no rule.
 * @throws {OwnRuleError} for a rule that `defineRule` would not accept.
 * @throws {UsageError} for an invalid URL or request.
 * @example const report = await runConformance({ service: { url: 'http://127.0.0.1:8080' }, apiKey:
 * 'demo' }); report.verdict // 'conforming'
 */
export async function runConformance(
  { service, rules, kinds, requests, forks = [], ...settings }: ConformanceOptions,
  listener?: RunListener,
): Promise<Report> {
  // Loaded on demand, so that importing a type or `defineRule` loads nothing else.
  const [{ catalogWith }, { runRules }, { openService }] = await Promise.all([
    import('./own-rules.ts'),
    import('../runner/run.ts'),
    import('../discovery/open-service.ts'),
  ]);
  const selectable = catalogWith(rules, kinds);
  const generator = requests && generatorOf(requests);
  const served = 'url' in service ? undefined : await serveOnLoopback(service.listener);
  // The run itself ends at the signal.
  const { signal: _, ...access } = settings;
  const { apiKey, obstacle, seed, profile = DEFAULT_PROFILE } = settings;
  try {
    const url = parseBaseUrl('url' in service ? service.url : (served?.url ?? ''));
    const opened = openService({ ...access, url });
    const report = runRules(
      {
        ...{ ...settings, service: opened, generator, rules: selectable },
        target: url.href.replace(/\/$/, ''),
        ...('url' in service && { targetName: service.name }),
        obstacle: obstacle ?? (apiKey === '' ? NO_API_KEY : undefined),
        ...(forks.length > 0 && {
          openExecutor: async (session) => {
            const { createExecutor } = await import('../execution/executor.ts');
            // The same seed must lead to the same requests. Without a seed, each run uses new
            // accounts.
            const salt = seed === undefined ? undefined : String(seed);
            return createExecutor({ forks, plans: PROFILES[profile].settledPlans, salt }, session);
          },
        }),
      },
      listener,
    );
    return await report.finally(opened.close);
  } finally {
    await served?.close();
  }
}

function generatorOf(requests: readonly string[]): Pick<RequestGenerator, 'traffic' | 'simplify'> {
  const targets = requests.map(parseTarget);
  return { traffic: () => targets, simplify: () => [] };
}

async function serveOnLoopback(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.close().closeAllConnections();
    await once(server, 'close');
  };
  return { url: `http://127.0.0.1:${port}`, close };
}
