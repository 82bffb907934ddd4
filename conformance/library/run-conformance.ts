import type { RequestListener } from 'node:http';
import type { ChainId } from '../client/chain-ids.ts';
import type { Reach } from '../client/reach.ts';
import type { RouterNames } from '../client/router-names.ts';
import type { ForkSource } from '../execution/fork.ts';
import type { RunListener } from '../model/events.ts';
import type { Report } from '../model/report.ts';
import type { Rule } from '../model/rule.ts';
import type { RunOptions } from '../runner/run-options.ts';
import type { OwnRule } from './define-rule.ts';

/** A service to judge: its root, or a listener such as Koa's `callback()`, an Express app, or Fastify's `routing`. */
export type Service = { readonly url: string } | { readonly listener: RequestListener };

/** Settings of a run, resolved by the runner, and how the service is reached. */
export type ConformanceOptions = Pick<
  RunOptions,
  | 'only'
  | 'level'
  | 'seed'
  | 'maxRequests'
  | 'maxTimeMs'
  | 'spentMs'
  | 'rate'
  | 'concurrency'
  | 'tolerancePpm'
  | 'frozen'
  | 'bail'
  | 'requireFork'
  | 'profile'
  | 'waivers'
  | 'dropIdleWaiver'
  | 'keepEvidence'
  | 'signal'
> &
  Reach & {
    readonly service: Service;
    /** Chains to judge; default, all that the service lists. A bigint above 2^53. */
    readonly chains?: readonly ChainId[] | undefined;
    /** Sent as `apiKey`, and never shown. Nothing is judged if it is empty. */
    readonly apiKey: string;
    /** Maximum time until a reply is complete, in milliseconds; default 10,000. */
    readonly timeoutMs?: number | undefined;
    /** Maximum size of a body, in bytes; default 16 MiB. */
    readonly maxBodyBytes?: number | undefined;
    /** What the service calls the routers of the specification. */
    readonly routerNames?: RouterNames | undefined;
    /** Nodes by chain; plans are settled with Anvil on forks of them. Without nodes, plans are not settled. */
    readonly forks?: readonly ForkSource[] | undefined;
    /** Kinds of rules that judge; default, all. */
    readonly kinds?: readonly Rule['kind'][] | undefined;
    /**
     * Paths with their queries, percent-encoded, `$SWAPCHECK_API_KEY` for the key: sent
     * instead of the traffic that covers the market. Probes send their own requests.
     */
    readonly requests?: readonly string[] | undefined;
    /** Rules of your own, reported separately from those of the specification. */
    readonly rules?: readonly OwnRule[] | undefined;
  };

/**
 * Judges a service and returns the report, however the service behaves; sends
 * `listener` events during the run. Prints nothing, reads no environment and handles
 * no signals of the process: `signal` ends the run early, and the report then says so.
 *
 * @throws {UnknownRuleError} if an entry of `only` matches no rule.
 * @throws {OwnRuleError} for a rule that `defineRule` would not accept.
 * @throws {UsageError} for an invalid URL or request.
 * @example
 * const report = await runConformance({ service: { url: 'http://127.0.0.1:8080' }, apiKey: 'demo' });
 * report.verdict // 'conforming'
 */
export async function runConformance(
  options: ConformanceOptions,
  listener?: RunListener,
): Promise<Report> {
  // Loaded only now: importing a type or `defineRule` loads none of it.
  const { judgeService } = await import('./judge-service.ts');
  return judgeService(options, listener);
}
