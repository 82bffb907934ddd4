import type { Scheduler } from '../client/scheduler.ts';
import { counted } from '../contract/counted.ts';
import { type DiscoveryBreadth, FEW_PAIRS } from '../discovery/discover-market.ts';
import { PROBE_REQUESTS, type Profile, QUICK_REQUESTS } from '../generate/budget.ts';
import type { Rule } from '../model/rule.ts';
import { medianOf } from '../model/statistics.ts';
import type { resolveOptions } from './run-options.ts';

/**
 * Maximum share of the run's time for discovery. If discovering all pairs would take longer,
 * discovery tries fewer pairs.
 */
const DISCOVERY_SHARE = 0.15;
/** Share of the remaining time for the probes. The rest is for the traffic. */
const PROBE_SHARE = 0.6;
/**
 * The traffic ends after this share of the run's time. Traffic is broad, so no single request is
 * essential.
 */
const TRAFFIC_ENDS = 0.95;

/** Returns whether a rule judges any reply, whatever request led to it. */
export function judgesAnyReply({ kind }: Rule): boolean {
  return kind === 'reply';
}

/**
 * The speed of a run so far, and the work for which its remaining time suffices. Estimates are
 * extrapolated from the requests so far, including waits.
 */
export class Pace {
  /** Durations of exchanges in milliseconds, by operation. */
  readonly durations = new Map<string, number[]>();
  probesDone = 0;
  /** Number of chains with plans. */
  chains = 1;
  /** Breadth with which each probe ran, by rule id. */
  readonly breadths = new Map<string, number>();
  readonly #options: ReturnType<typeof resolveOptions>;
  readonly #scheduler: Scheduler;
  readonly #probes: number;
  readonly #sendsTraffic: boolean;
  readonly #startedAtMs: number;
  #servedBeforeTraffic: number | undefined;

  constructor(
    options: ReturnType<typeof resolveOptions>,
    scheduler: Scheduler,
    { rules, probes }: { readonly rules: readonly Rule[]; readonly probes: readonly Rule[] },
  ) {
    this.#options = options;
    this.#scheduler = scheduler;
    this.#probes = probes.length;
    this.#sendsTraffic = rules.some(judgesAnyReply);
    this.#startedAtMs = options.clock.now();
  }

  /** The smallest breadth of any probe so far. */
  get minBreadth(): number {
    return Math.min(this.#options.profile.breadth, ...this.breadths.values());
  }

  /** Adds the duration of an exchange. */
  add(endpoint: string, durationMs: number): void {
    const durations = this.durations.get(endpoint);
    if (durations === undefined) this.durations.set(endpoint, [durationMs]);
    else durations.push(durationMs);
  }

  get elapsedMs(): number {
    return this.#options.clock.now() - this.#startedAtMs;
  }

  get #limitMs(): number {
    return this.#options.maxTimeMs - this.#options.spentMs;
  }

  get #timeLeftMs(): number {
    return Math.max(0, this.#limitMs - this.elapsedMs);
  }

  /** Number of requests sent, without tries that were rejected because of the rate and repeated. */
  get #served(): number {
    return this.#scheduler.sent - this.#scheduler.rateLimited;
  }

  get #msPerRequest(): number {
    return Math.max(1e-9, this.elapsedMs / Math.max(1, this.#served));
  }

  /** Returns how many tokens and pairs discovery has time to try. */
  discoveryBreadth(): DiscoveryBreadth {
    const { concurrency, rate } = this.#scheduler;
    const { discovery } = this.#options.profile;
    const all = [...this.durations.values()].flat();
    const mean = all.reduce((sum, each) => sum + each, 0) / Math.max(1, all.length);
    // The first requests are sent one by one, all others concurrently.
    const msEach = Math.max(
      mean / concurrency,
      this.#scheduler.waitedMs / Math.max(1, this.#served),
      1000 / rate,
    );
    const affordable = (DISCOVERY_SHARE * this.#limitMs) / Math.max(msEach, 1e-9);
    const share = affordable / (discovery.tokens.inAll + discovery.pairs.inAll);
    if (share >= 1) return discovery;
    const scaled = (name: 'tokens' | 'pairs') => ({
      inAll: Math.max(FEW_PAIRS[name].inAll, Math.floor(discovery[name].inAll * share)),
      perChain: [FEW_PAIRS[name].perChain[0], discovery[name].perChain[1]] as const,
    });
    return { tokens: scaled('tokens'), pairs: scaled('pairs') };
  }

  /**
   * Returns the share of the usual requests that the remaining probes have time to send, at most
   * the profile's breadth.
   */
  breadth(): number {
    const probes = Math.max(1, this.#probes);
    const left = Math.max(1, this.#probes - this.probesDone) / probes;
    const affordable = (PROBE_SHARE * this.#timeLeftMs) / this.#msPerRequest;
    return Math.min(this.#options.profile.breadth, affordable / (PROBE_REQUESTS * left));
  }

  /** Returns the profile, with its traffic reduced to fit the remaining time. */
  affordableTraffic(): Profile {
    const { profile } = this.#options;
    const forTraffic = this.#timeLeftMs - (1 - TRAFFIC_ENDS) * this.#limitMs;
    const usual = profile.trafficSwaps + 2 * this.chains * profile.lookups;
    const share = Math.min(1, Math.max(0, forTraffic) / (this.#msPerRequest * usual));
    return {
      ...profile,
      trafficSwaps: Math.ceil(profile.trafficSwaps * share),
      lookups: Math.ceil(profile.lookups * share),
    };
  }

  /** Notes that the traffic begins. Returns when it ends, on the run's clock. */
  beginTraffic(): number {
    this.#servedBeforeTraffic = this.#served;
    return this.#startedAtMs + TRAFFIC_ENDS * this.#limitMs;
  }

  /** Returns the estimated time to the end of the run, without settlements. */
  expectedMs(): number {
    return Math.round(Math.min(this.#msPerRequest * this.#requestsToCome(), this.#timeLeftMs));
  }

  #requestsToCome(): number {
    const { rules } = this.#options;
    const { sent, maxRequests } = this.#scheduler;
    const allProbes = rules.filter(
      (rule) => rule.kind === 'probe' || rule.kind === 'relation',
    ).length;
    const probesLeft = this.#probes - this.probesDone;
    const probing = (PROBE_REQUESTS * this.breadth() * probesLeft) / allProbes;
    const planned = this.#sendsTraffic ? this.affordableTraffic().trafficSwaps : 0;
    const traffic = planned - (this.#served - (this.#servedBeforeTraffic ?? this.#served));
    const all = Math.max(0, probing || 0) + Math.max(0, traffic);
    return Math.max(0, Math.min(all, maxRequests - sent));
  }

  /**
   * Returns how the run was adapted to a slow service; undefined if no adaptation was necessary.
   */
  slowdown():
    | { readonly share: number; readonly why: string; readonly quickMs: number }
    | undefined {
    const share = this.breadth() / this.#options.profile.breadth;
    if (!(share < 1)) return undefined;
    const quickMs = Math.min(QUICK_REQUESTS * this.#msPerRequest, this.#limitMs);
    return { share, why: this.whySlow(), quickMs: Math.round(quickMs) };
  }

  /** Returns the cause of the slowdown, as a clause. */
  whySlow(): string {
    const { rate, concurrency, rateLimited, sent, waitedMs } = this.#scheduler;
    const median = medianOf([...this.durations.values()].flat());
    const isPaced = waitedMs > this.elapsedMs / 4 || this.#msPerRequest > 10 * median;
    if (rateLimited > 0 && isPaced) {
      return `the service limited the rate of ${rateLimited} of ${sent} requests`;
    }
    if (1000 / rate > median / concurrency) {
      return `--rate allows ${rate} requests per second`;
    }
    return `replies take ${median < 1000 ? `${Math.round(median)} ms` : `${(median / 1000).toFixed(1)} s`}`;
  }

  /** Returns the reason that the report shows if the run's time is used up. */
  describeSpentBudget(): string {
    const { maxTimeMs, profile } = this.#options;
    const { rateLimited, waitedMs } = this.#scheduler;
    const waitedS = Math.round(waitedMs / 1000);
    const hasWaited = rateLimited > 0 && waitedS * 10_000 >= maxTimeMs;
    const spent = `the budget of ${maxTimeMs / 1000} s is spent`;
    // The traffic ends in time by itself, so later only settlements and shrinking can spend the
    // budget.
    if (!hasWaited && this.probesDone === this.#probes) return spent;
    const why = hasWaited
      ? `${waitedS} s of it on waits after ${counted(rateLimited, 'reply that limits the rate', 'replies that limit the rate')}`
      : `since ${this.whySlow()}`;
    const fix =
      profile.breadth > 0 ? 'a larger --max-time, or --profile quick' : 'a larger --max-time';
    return `${spent}, ${why}: pass ${fix}`;
  }
}
