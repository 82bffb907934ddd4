import type { Measurement } from '../engine/measure.ts';
import type { Workload } from '../engine/schedule.ts';
import type { LoadResult, ThresholdResult } from '../model/load-result.ts';
import { describeCrossing } from '../thresholds/describe-threshold.ts';

export type Verdict = Pick<LoadResult, 'verdict' | 'reason'>;

/** Measurements that decide the verdict on one run. */
export type Evidence = {
  /** Reason for its early end, if known. */
  readonly endedBy?: string | undefined;
  readonly measurement: Pick<
    Measurement,
    'aborted' | 'lostProcesses' | 'sent' | 'clientLag' | 'endpoints' | 'intervals'
  >;
  readonly thresholds: readonly ThresholdResult[];
  /** Replies judged by the rules; undefined if none are judged. */
  readonly judged: number | undefined;
  readonly model: Workload['model'];
  /** Parts of the profile that were not run. */
  readonly omitted?: readonly string[];
  /** Maximum lateness of the client itself for 99 % of the requests; beyond it the run is invalid. Default 20. */
  readonly maxClientLagMs?: number | undefined;
};

/**
 * Returns the verdict on one run. Only a complete run, by a client that kept its
 * schedule, passes or fails; the others still report the faults of the service.
 */
export function verdictOf(evidence: Evidence): Verdict {
  const { measurement, thresholds, judged } = evidence;
  if (measurement.aborted) {
    const parts = ['the run was ended early', ...(evidence.endedBy ? [evidence.endedBy] : [])];
    return { verdict: 'incomplete', reason: withFailures(parts.join(': '), measurement) };
  }
  if (measurement.sent === 0 && measurement.lostProcesses === 0) {
    return { verdict: 'incomplete', reason: 'no request could be sent' };
  }
  const crossed = thresholds.filter(({ held, actual }) => !held && actual !== undefined);
  // A wrong reply is wrong however late it was requested; every other metric depends on the client too.
  const isCertain = crossed.some(({ metric }) => metric === 'wrong');
  const fault = clientFault(evidence);
  if (fault !== undefined && (!isCertain || measurement.lostProcesses > 0)) {
    return { verdict: 'invalid', reason: withFailures(fault, measurement) };
  }
  if (crossed.length > 0) return { verdict: 'failed', reason: sentence(crossed) };
  const unmeasured = thresholds.filter(({ actual }) => actual === undefined);
  if (unmeasured.length > 0) return { verdict: 'incomplete', reason: sentence(unmeasured) };
  if (judged === 0) return { verdict: 'incomplete', reason: 'no reply could be judged' };
  const held = `all ${thresholds.length} thresholds held`;
  const omitted = (evidence.omitted ?? []).map((text) => text.replace(/: .*/, ''));
  const rest = omitted.length === 0 ? '' : `; omitted: ${omitted.join(', ')}`;
  return { verdict: 'passed', reason: held + rest };
}

/** Returns why the client invalidates a run, and a remedy; undefined if it kept its schedule. */
function clientFault({ measurement, model, maxClientLagMs = 20 }: Evidence): string | undefined {
  const { clientLag, lostProcesses } = measurement;
  if (lostProcesses > 0) return `${lostProcesses} client process(es) ended without a result`;
  // Connections are opened in the warm-up, which is only in the intervals.
  const short = measurement.intervals
    .flatMap(({ endpoints }) => Object.values(endpoints))
    .reduce((sum, { errors }) => sum + (errors.client ?? 0), 0);
  if (short > 0) {
    return `${short} requests found no connection, because the client's machine could open no more: raise its limit of file descriptors (\`ulimit -n\`) or ports, or use fewer connections`;
  }
  if (model === 'open' && clientLag.p99Ms > maxClientLagMs) {
    return `the client fell behind its own schedule: 1 % of the requests were sent at least ${Math.round(clientLag.p99Ms)} ms late although a connection was free; use more processes, a lower rate or a less busy machine`;
  }
  return undefined;
}

/** Adds the failures of the service, which do not depend on the lateness of the client. */
function withFailures(reason: string, { endpoints }: Evidence['measurement']): string {
  const counts = new Map<string, number>();
  for (const [name, { errors, statuses }] of Object.entries(endpoints)) {
    // Requests that are broken on purpose expect 400.
    const expected = name === 'invalid' ? '400' : '200';
    for (const [status, count] of Object.entries(statuses)) {
      const label = `status ${status}`;
      if (status !== expected) counts.set(label, (counts.get(label) ?? 0) + count);
    }
    for (const kind of SERVICE_FAULTS) {
      const count = errors[kind] ?? 0;
      if (count > 0) counts.set(kind, (counts.get(kind) ?? 0) + count);
    }
  }
  const failures = [...counts].sort((a, b) => b[1] - a[1]);
  if (failures.length === 0) return reason;
  return `${reason}. The service also failed: ${failures.map(([what, count]) => `${count} times ${what}`).join(', ')}`;
}

const SERVICE_FAULTS = ['reset', 'refused', 'protocol'] as const;

function sentence(thresholds: readonly ThresholdResult[]): string {
  return thresholds.map(describeCrossing).join('; ');
}
