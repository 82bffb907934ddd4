import { counted } from '../../conformance/contract/counted.ts';
import { formatMs } from '../../conformance/output/units.ts';
import type { Measurement } from '../engine/measure.ts';
import type { Workload } from '../engine/schedule.ts';
import type { LoadResult, ThresholdResult } from '../model/load-result.ts';
import { failuresOf } from '../model/metrics.ts';
import { describeCrossing } from '../thresholds/describe-threshold.ts';

export type Verdict = Pick<LoadResult, 'verdict' | 'reason'>;

/** Measurements that determine the verdict on one run. */
export type Evidence = {
  /** Reason for the early end, if known. */
  readonly endedBy?: string | undefined;
  readonly measurement: Pick<
    Measurement,
    'aborted' | 'lostProcesses' | 'sent' | 'clientLag' | 'endpoints' | 'intervals'
  >;
  readonly thresholds: readonly ThresholdResult[];
  /** Number of replies that the rules judged; undefined if the engine does not judge replies. */
  readonly judged: number | undefined;
  readonly model: Workload['model'];
  /** Parts of the profile that were not run. */
  readonly omitted?: readonly string[];
  /**
   * Maximum delay caused by the client, at the 99th percentile of requests. Beyond it, the run is
   * invalid. Default: 20.
   */
  readonly maxClientLagMs?: number | undefined;
};

/**
 * Returns the verdict on one run. Only a complete run in which the client kept its schedule passes
 * or fails. Other runs still report the faults of the service.
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
  // A wrong reply counts even if its request was late. Every other metric also depends on the
  // client.
  const isCertain = crossed.some(({ metric }) => metric === 'wrong');
  const fault = describeClientFault(evidence);
  if (fault !== undefined && (!isCertain || measurement.lostProcesses > 0)) {
    return { verdict: 'invalid', reason: withFailures(fault, measurement) };
  }
  if (crossed.length > 0) {
    return { verdict: 'failed', reason: sentence(crossed) + errorCauses(crossed, measurement) };
  }
  const unmeasured = thresholds.filter(({ actual }) => actual === undefined);
  if (unmeasured.length > 0) return { verdict: 'incomplete', reason: sentence(unmeasured) };
  if (judged === 0) return { verdict: 'incomplete', reason: 'no reply could be judged' };
  const held = `all ${thresholds.length} thresholds held`;
  const omitted = (evidence.omitted ?? []).map((text) => text.replace(/: .*/, ''));
  const rest = omitted.length === 0 ? '' : `; omitted: ${omitted.join(', ')}`;
  return { verdict: 'passed', reason: held + rest };
}

function describeClientFault({
  measurement,
  model,
  maxClientLagMs = 20,
}: Evidence): string | undefined {
  const { clientLag, lostProcesses } = measurement;
  if (lostProcesses > 0)
    return `${counted(lostProcesses, 'client process', 'client processes')} ended without a result`;
  // Connections are opened during the warm-up, which only the intervals cover.
  const short = measurement.intervals
    .flatMap(({ endpoints }) => Object.values(endpoints))
    .reduce((sum, { errors }) => sum + (errors.client ?? 0), 0);
  if (short > 0) {
    return `${counted(short, 'request')} had no connection, because the client's machine could not open more: raise its limit on file descriptors (\`ulimit -n\`) or ports, or use fewer connections`;
  }
  if (model === 'open' && clientLag.p99Ms > maxClientLagMs) {
    const lag = `1% of the requests were sent at least ${formatMs(clientLag.p99Ms)} ms late while a connection was free`;
    return `the client fell behind its own schedule: ${lag}, and --max-client-lag allows ${maxClientLagMs} ms. Use a less busy machine, more --processes or a lower --rate; raise --max-client-lag only if latencies may include this lag`;
  }
  return undefined;
}

/** Failures of the service do not depend on the lateness of the client. */
function withFailures(reason: string, { endpoints }: Evidence['measurement']): string {
  const failures = failuresOf(endpoints).filter(([cause]) => !CLIENT_FAULTS.includes(cause));
  if (failures.length === 0) return reason;
  return `${reason}. The service also failed: ${listCauses(failures)}`;
}

const CLIENT_FAULTS: readonly string[] = ['timeout', 'unsent', 'client'];

function errorCauses(
  crossed: readonly ThresholdResult[],
  { endpoints }: Evidence['measurement'],
): string {
  if (!crossed.some(({ metric }) => metric === 'errors')) return '';
  const causes = failuresOf(endpoints);
  return causes.length === 0 ? '' : `. Errors: ${listCauses(causes)}`;
}

function listCauses(failures: ReturnType<typeof failuresOf>): string {
  return failures.map(([cause, count]) => `${cause} (${count})`).join(', ');
}

function sentence(thresholds: readonly ThresholdResult[]): string {
  return thresholds.map(describeCrossing).join('; ');
}
