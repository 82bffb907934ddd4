import type { ChainId } from '../client/chain-ids.ts';
import type { Client } from '../client/client.ts';
import { type Clock, SYSTEM_CLOCK } from '../client/clock.ts';
import { PROFILES, type Profile, type ProfileName } from '../generate/budget.ts';
import { MARKET_GENERATOR, type RequestGenerator } from '../generate/generator.ts';
import type { OpenExecutor, SaveEvidence } from '../model/executor.ts';
import type { Rule } from '../model/rule.ts';
import type { Gate } from './verdict.ts';
import type { WaivedPlace, Waiver } from './waivers.ts';

/** Settings for judging replies from a service or from files. */
export type JudgingSettings = {
  /**
   * Rule ids, clause ids or sections, also in the format of JUnit reports. `*` matches any text. If
   * empty or unset, all rules take part.
   */
  readonly only?: readonly string[] | undefined;
  /** `must` omits all other rules. If unset or `should`, all rules take part. */
  readonly level?: Gate | undefined;
  /** Conservation tolerance at intermediate tokens, in parts per million. Default 1. */
  readonly tolerancePpm?: number | undefined;
  readonly waivers?: readonly Waiver[] | undefined;
  /**
   * Called with each waiver that no longer matches a failure; such waivers then do not count as
   * stale. If unset, they count against the verdict.
   */
  readonly dropIdleWaiver?: ((waiver: Waiver) => void) | undefined;
  /** Called with the place of each failure that no waiver covers, as often as it is found. */
  readonly recordFailure?: ((place: WaivedPlace) => void) | undefined;
  /** Ends the judging early. The report is still written. */
  readonly signal?: AbortSignal | undefined;
};

/** Settings of a run against a service. The options of commands have the same names. */
export type RunSettings = JudgingSettings & {
  /** Seed of random choices. Default 1. */
  readonly seed?: number | undefined;
  /** Profile, which sets the number of requests. Default: `standard`. */
  readonly profile?: ProfileName | undefined;
  /** Chains to judge, as bigints above 2^53. Default: all that the service lists. */
  readonly chains?: readonly ChainId[] | undefined;
  /** Chains on whose forks plans must be settled. The run is incomplete if one is not listed. */
  readonly forkedChains?: readonly number[] | undefined;
  /** Maximum number of requests. Default: as many as the probes and the traffic need. */
  readonly maxRequests?: number | undefined;
  /** Maximum time of the run. Default 600 s. */
  readonly maxTimeMs?: number | undefined;
  /** The part of `maxTimeMs` that was spent before the run. Default 0. */
  readonly spentMs?: number | undefined;
  /** Maximum requests per second. Default: as fast as the service replies. */
  readonly rate?: number | undefined;
  /** Maximum number of concurrent requests. Default 8. */
  readonly concurrency?: number | undefined;
  /** Account to request calldata for. Default: accounts of swapcheck, which have no funds. */
  readonly user?: string | undefined;
  /** True if the market does not move. Default false. */
  readonly frozen?: boolean | undefined;
  /**
   * Failures of an earlier run, which are judged first. If a failure persists, the run judges
   * nothing else.
   */
  readonly repeat?: Repeat | undefined;
  /** Ends the run at the first failure that counts against the verdict. Default false. */
  readonly bail?: boolean | undefined;
  /**
   * If true, settlement rules without a fork make the run incomplete; otherwise they do not apply.
   * Default false.
   */
  readonly requireFork?: boolean | undefined;
  /** Saves failed settlements. If unset, none is saved. */
  readonly saveEvidence?: SaveEvidence | undefined;
};

/** The failures of an earlier run. */
export type Repeat = {
  /** Ids of the rules that failed. */
  readonly rules: readonly string[];
  /** Percent-encoded paths with queries, with `$SWAPCHECK_API_KEY` for the key. */
  readonly requests: readonly string[];
};

/** The rules to apply, and what they judge. */
export type JudgingOptions = JudgingSettings & {
  readonly rules: readonly Rule[];
  /** The subject of the report: the base URL, or the files. */
  readonly target: string;
  /** A name for the target, which reports show next to it. */
  readonly targetName?: string | undefined;
  /** Measures the time of the rules. Default: the system's clock. */
  readonly clock?: Clock | undefined;
};

/** A run: its settings, its rules, and the service. */
export type RunOptions = RunSettings &
  JudgingOptions & {
    readonly client: Client;
    /** Replaces parts of the usual generator, which covers the market. */
    readonly generator?: Partial<RequestGenerator> | undefined;
    /** Executes plans on forked chains. If unset, settlement rules do not apply. */
    readonly openExecutor?: OpenExecutor | undefined;
    /** The reason why nothing can be judged, if it is known before the first request. */
    readonly obstacle?: string | undefined;
  };

export const DEFAULT_CONCURRENCY = 8;

/** Returns the options of a run with their defaults. */
export function resolveOptions(options: RunOptions) {
  return {
    ...options,
    generator: { ...MARKET_GENERATOR, ...options.generator },
    seed: options.seed ?? 1,
    profile: PROFILES[options.profile ?? 'standard'] as Profile,
    chains: (options.chains ?? []).map(Number),
    maxTimeMs: options.maxTimeMs ?? 600_000,
    spentMs: options.spentMs ?? 0,
    concurrency: options.concurrency ?? DEFAULT_CONCURRENCY,
    frozen: options.frozen ?? false,
    bail: options.bail ?? false,
    requireFork: options.requireFork ?? false,
    clock: options.clock ?? SYSTEM_CLOCK,
  };
}
