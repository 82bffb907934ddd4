import type { Access } from '../client/client.ts';
import type { Clock } from '../client/clock.ts';
import type { Limits } from '../client/scheduler.ts';
import type { DiscoveryOptions } from '../discovery/discover.ts';
import type { OpenService } from '../discovery/open-service.ts';
import { DEFAULT_PROFILE, PROFILES, type Profile, type ProfileName } from '../generate/budget.ts';
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
  /** Conservation tolerance at intermediate tokens, in parts per million. Default: 1. */
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

/** Settings of a run. The options of the commands have the same names. */
export type Settings = JudgingSettings &
  Limits &
  Pick<Access, 'chains'> &
  Pick<DiscoveryOptions, 'user'> & {
    /** Seed of random choices. Default: 1. */
    readonly seed?: number | undefined;
    /** Profile, which sets the number of requests. Default: `standard`. */
    readonly profile?: ProfileName | undefined;
    /** Chains on whose forks plans must be settled. The run is incomplete if one is not listed. */
    readonly forkedChains?: readonly number[] | undefined;
    /** Maximum time of the run. Default: 600 s. */
    readonly maxTimeMs?: number | undefined;
    /** The part of `maxTimeMs` that was spent before the run. Default: 0. */
    readonly spentMs?: number | undefined;
    /** True if the market does not move. Default: false. */
    readonly frozen?: boolean | undefined;
    /**
     * Failures of an earlier run, which are judged first. If a failure persists, the run judges
     * nothing else.
     */
    readonly repeat?: Repeat | undefined;
    /** Ends the run at the first failure that counts against the verdict. Default: false. */
    readonly bail?: boolean | undefined;
    /**
     * If true, settlement rules without a fork make the run incomplete; otherwise they do not
     * apply. Default: false.
     */
    readonly requireFork?: boolean | undefined;
    /** Saves failed settlements. If unset, none is saved. */
    readonly saveEvidence?: SaveEvidence | undefined;
    /**
     * Reason why the service cannot be judged. If set, nothing is sent, and the report states it.
     */
    readonly obstacle?: string | undefined;
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

/** A run: its settings, its rules, and the service, which was opened with its limits and clock. */
export type RunOptions = Omit<Settings, keyof Limits> &
  Omit<JudgingOptions, 'clock'> & {
    readonly service: OpenService;
    /** Replaces parts of the usual generator, which covers the market. */
    readonly generator?: Partial<RequestGenerator> | undefined;
    /** Executes plans on forked chains. If unset, settlement rules do not apply. */
    readonly openExecutor?: OpenExecutor | undefined;
  };

/** Returns the options of a run with their defaults. */
export function resolveOptions(options: RunOptions) {
  return {
    ...options,
    generator: { ...MARKET_GENERATOR, ...options.generator },
    seed: options.seed ?? 1,
    profile: PROFILES[options.profile ?? DEFAULT_PROFILE] as Profile,
    chains: (options.chains ?? []).map(Number),
    maxTimeMs: options.maxTimeMs ?? 600_000,
    spentMs: options.spentMs ?? 0,
    frozen: options.frozen ?? false,
    bail: options.bail ?? false,
    requireFork: options.requireFork ?? false,
    clock: options.service.client.clock,
  };
}
