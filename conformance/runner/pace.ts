import { type DiscoveryBreadth, FEW_PAIRS } from '../discovery/discover-market.ts';
import { PROBE_REQUESTS, type Profile, QUICK_REQUESTS } from '../generate/budget.ts';
import { judgesAnyReply, type Run } from './run-state.ts';

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

/**
 * Returns how many tokens and pairs discovery has time to try, estimated from the first replies.
 */
export function discoveryBreadthOf(run: Run): DiscoveryBreadth {
  const { options, scheduler, durations } = run;
  const { discovery } = options.profile;
  const all = [...durations.values()].flat();
  const mean = all.reduce((sum, each) => sum + each, 0) / Math.max(1, all.length);
  // The first requests are sent one by one, all others concurrently.
  const msEach = Math.max(
    mean / options.concurrency,
    scheduler.waitedMs / Math.max(1, served(run)),
    1000 / (options.rate ?? Number.POSITIVE_INFINITY),
  );
  const affordable = (DISCOVERY_SHARE * limitMs(run)) / Math.max(msEach, 1e-9);
  const share = affordable / (discovery.tokens.inAll + discovery.pairs.inAll);
  if (share >= 1) return discovery;
  const scaled = (name: 'tokens' | 'pairs') => ({
    inAll: Math.max(FEW_PAIRS[name].inAll, Math.floor(discovery[name].inAll * share)),
    perChain: [FEW_PAIRS[name].perChain[0], discovery[name].perChain[1]] as const,
  });
  return { tokens: scaled('tokens'), pairs: scaled('pairs') };
}

/**
 * Returns the share of the usual requests that the remaining probes have time to send, at most the
 * profile's breadth. The estimate extrapolates from the requests so far, including waits.
 */
export function breadthOf(run: Run): number {
  const { options, probes, probesDone } = run;
  const left = Math.max(1, probes.length - probesDone) / Math.max(1, probes.length);
  const affordable = (PROBE_SHARE * timeLeftMs(run)) / msPerRequest(run);
  return Math.min(options.profile.breadth, affordable / (PROBE_REQUESTS * left));
}

/** Returns the profile, with its traffic reduced to fit the remaining time. */
export function affordableTraffic(run: Run): Profile {
  const { profile } = run.options;
  const forTraffic = timeLeftMs(run) - (1 - TRAFFIC_ENDS) * limitMs(run);
  const chains = run.facts?.markets.size ?? 1;
  const usual = profile.trafficSwaps + 2 * chains * profile.lookups;
  const share = Math.min(1, Math.max(0, forTraffic) / (msPerRequest(run) * usual));
  return {
    ...profile,
    trafficSwaps: Math.ceil(profile.trafficSwaps * share),
    lookups: Math.ceil(profile.lookups * share),
  };
}

/** Returns when the traffic ends, on the run's clock. */
export function trafficEndsAt(run: Run): number {
  return run.startedAtMs + TRAFFIC_ENDS * limitMs(run);
}

/** The number of requests does not determine how long these phases take. */
const UNPREDICTABLE: readonly string[] = ['repeating', 'settlement', 'shrinking'];

/**
 * Returns the estimated time to the end of the run, without settlements and at most its time limit.
 * Returns undefined if no estimate is possible.
 */
export function expectedMs(run: Run): number | undefined {
  if (run.facts === undefined || UNPREDICTABLE.includes(run.phase)) return undefined;
  const ms = msPerRequest(run) * requestsToCome(run);
  return Math.round(Math.min(ms, timeLeftMs(run)));
}

function requestsToCome(run: Run): number {
  const { options, rules, probes, probesDone, scheduler } = run;
  const allProbes = options.rules.filter((rule) => 'run' in rule).length;
  const probing = (PROBE_REQUESTS * breadthOf(run) * (probes.length - probesDone)) / allProbes;
  const planned = rules.some(judgesAnyReply) ? affordableTraffic(run).trafficSwaps : 0;
  const traffic = planned - (served(run) - (run.servedBeforeTraffic ?? served(run)));
  const { maxRequests = Number.POSITIVE_INFINITY } = options;
  const all = Math.max(0, probing || 0) + Math.max(0, traffic);
  return Math.max(0, Math.min(all, maxRequests - scheduler.sent));
}

/** Returns how the run was adapted to a slow service; undefined if no adaptation was necessary. */
export function slowdownOf(
  run: Run,
): { readonly share: number; readonly why: string; readonly quickMs: number } | undefined {
  const usual = run.options.profile.breadth;
  const share = breadthOf(run) / usual;
  if (!(share < 1)) return undefined;
  const quickMs = QUICK_REQUESTS * msPerRequest(run);
  return { share, why: whySlow(run), quickMs: Math.round(Math.min(quickMs, limitMs(run))) };
}

/** Returns the cause of the slowdown, as a clause. */
export function whySlow(run: Run): string {
  const { scheduler, options, startedAtMs, durations } = run;
  const elapsedMs = options.clock.now() - startedAtMs;
  const [limited, sent] = [scheduler.rateLimited, scheduler.sent];
  if (limited > 0 && scheduler.waitedMs > elapsedMs / 4) {
    return `the service replied 429 to ${limited} of ${sent} requests`;
  }
  const sorted = [...durations.values()].flat().toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  if (options.rate !== undefined && 1000 / options.rate > median / options.concurrency) {
    return `--rate allows ${options.rate} requests per second`;
  }
  return `replies take ${median < 1000 ? `${Math.round(median)} ms` : `${(median / 1000).toFixed(1)} s`}`;
}

/** Returns the reason that the report shows if the run's time is used up. */
export function describeSpentBudget(run: Run): string {
  const { scheduler, options } = run;
  const spent = `the budget of ${options.maxTimeMs / 1000} s is spent`;
  const [limited, waitedS] = [scheduler.rateLimited, Math.round(scheduler.waitedMs / 1000)];
  if (limited === 0 || waitedS * 10_000 < options.maxTimeMs) return spent;
  return `${spent}, ${waitedS} s of it on waits after ${limited} replies with 429: pass a larger --max-time, or --profile quick`;
}

function limitMs({ options }: Run): number {
  return options.maxTimeMs - options.spentMs;
}

function timeLeftMs(run: Run): number {
  return Math.max(0, limitMs(run) - elapsedMsOf(run));
}

function elapsedMsOf({ options, startedAtMs }: Run): number {
  return options.clock.now() - startedAtMs;
}

function msPerRequest(run: Run): number {
  return Math.max(1e-9, elapsedMsOf(run) / Math.max(1, served(run)));
}

/**
 * Returns the number of requests sent, not counting tries that were rejected because of the rate
 * and repeated.
 */
export function served({ scheduler }: Run): number {
  return scheduler.sent - scheduler.rateLimited;
}
