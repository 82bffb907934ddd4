import type { Client } from '../client/client.ts';
import { SYSTEM_CLOCK } from '../client/clock.ts';
import { PROFILES, type Profile, type ProfileName } from '../generate/budget.ts';
import { MARKET_GENERATOR, type RequestGenerator } from '../generate/generator.ts';
import type { OpenExecutor, SaveEvidence } from '../model/executor.ts';
import type { JudgingOptions } from './judging.ts';

export type RunOptions = JudgingOptions & {
  readonly client: Client;
  /** Default: covers the market. */
  readonly generator?: RequestGenerator | undefined;
  /** Default 1. */
  readonly seed?: number | undefined;
  /** How much the run sends. Default `standard`. */
  readonly profile?: ProfileName | undefined;
  /** Chain ids; default, all that the service lists. */
  readonly chains?: readonly number[] | undefined;
  /** Default: as many as the probes and the traffic need. */
  readonly maxRequests?: number | undefined;
  /** Default 600 s. */
  readonly maxTimeMs?: number | undefined;
  /** The part of it that was spent before; default 0. */
  readonly spentMs?: number | undefined;
  /** Maximum requests per second; default, as fast as the service replies. */
  readonly rate?: number | undefined;
  /** Maximum number of concurrent requests; default 8. */
  readonly concurrency?: number | undefined;
  /** Whether the market does not move. Default false. */
  readonly frozen?: boolean | undefined;
  /** Failures of an earlier run, which are judged first; if one persists, the rest is omitted. */
  readonly repeat?: Repeat | undefined;
  /** Ends the run at the first failure that counts against the verdict. Default false. */
  readonly bail?: boolean | undefined;
  /** Executes plans on forked chains; if unset, settlement rules do not apply. */
  readonly openExecutor?: OpenExecutor | undefined;
  /** Whether settlement rules without a fork make the run incomplete instead of not applying. Default false. */
  readonly requireFork?: boolean | undefined;
  /** Saves failed settlements; if unset, none is saved. */
  readonly saveEvidence?: SaveEvidence | undefined;
  /** The reason why nothing can be judged, if known before the first request. */
  readonly hindrance?: string | undefined;
};

/** The failures of an earlier run. */
export type Repeat = {
  /** Ids of the rules that failed. */
  readonly rules: readonly string[];
  /** Percent-encoded paths with queries, with `$SWAPCHECK_API_KEY` for the key. */
  readonly requests: readonly string[];
};

export const DEFAULT_CONCURRENCY = 8;

/** Returns the options of a run with their defaults. */
export function resolveOptions(options: RunOptions) {
  return {
    ...options,
    generator: options.generator ?? MARKET_GENERATOR,
    seed: options.seed ?? 1,
    profile: PROFILES[options.profile ?? 'standard'] as Profile,
    chains: options.chains ?? [],
    maxTimeMs: options.maxTimeMs ?? 600_000,
    spentMs: options.spentMs ?? 0,
    concurrency: options.concurrency ?? DEFAULT_CONCURRENCY,
    frozen: options.frozen ?? false,
    bail: options.bail ?? false,
    requireFork: options.requireFork ?? false,
    clock: options.clock ?? SYSTEM_CLOCK,
  };
}
