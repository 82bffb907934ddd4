import { PROBE_REQUESTS } from '../generate/budget.ts';
import { judgesAnyReply, type Run } from './run-state.ts';

/** Share of the remaining time for the probes; the rest is for the traffic. */
const PROBE_SHARE = 0.6;

/**
 * Returns the share of the usual requests for which the remaining probes have time, extrapolated
 * from the requests so far, including waits. It is the profile's breadth if there is enough time.
 */
export function breadthOf({ options, scheduler, startedAtMs, probes, probesDone }: Run): number {
  const elapsedMs = options.clock.now() - startedAtMs;
  const msEach = elapsedMs / Math.max(1, scheduler.sent());
  const left = Math.max(1, probes.length - probesDone) / Math.max(1, probes.length);
  const leftMs = Math.max(0, options.maxTimeMs - elapsedMs);
  const affordable = (PROBE_SHARE * leftMs) / Math.max(msEach, 1e-9);
  return Math.min(options.profile.breadth, affordable / (PROBE_REQUESTS * left));
}

/** Returns the estimated number of requests after discovery. */
export function requestsToCome(run: Run): number {
  const { options, rules, probes, scheduler } = run;
  const allProbes = options.rules.filter((rule) => 'run' in rule).length;
  const probing = (PROBE_REQUESTS * breadthOf(run) * probes.length) / Math.max(1, allProbes);
  const traffic = rules.some(judgesAnyReply) ? options.profile.trafficSwaps : 0;
  const { maxRequests = Number.POSITIVE_INFINITY } = options;
  return Math.max(0, Math.min(probing + traffic, maxRequests - scheduler.sent()));
}

/** Returns the estimated duration of the run after discovery, in milliseconds. */
export function expectedMs(run: Run): number {
  const { options, scheduler, startedAtMs } = run;
  const elapsedMs = options.clock.now() - startedAtMs;
  const ms = (elapsedMs / Math.max(1, scheduler.sent())) * requestsToCome(run);
  return Math.round(Math.min(ms, Math.max(0, options.maxTimeMs - elapsedMs)));
}
