import type { Measurement } from '../engine/measure.ts';
import type { Workload } from '../engine/schedule.ts';
import type { LoadResult, ThresholdResult } from '../model/load-result.ts';
import { describeCrossing } from '../thresholds/describe-threshold.ts';

export type Verdict = Pick<LoadResult, 'verdict' | 'reason'>;

/** What a verdict on one run is made of. */
export type Evidence = {
  /** What ended it early, where that is known. */
  readonly endedBy?: string | undefined;
  readonly measurement: Pick<
    Measurement,
    'aborted' | 'lostProcesses' | 'sent' | 'clientLag' | 'endpoints'
  >;
  readonly thresholds: readonly ThresholdResult[];
  /** Replies that the rules have judged; undefined where none were to be. */
  readonly judged: number | undefined;
  readonly model: Workload['model'];
  /** How late the client itself may send in 99 % of the requests. Default 20. */
  readonly maxClientLagMs?: number | undefined;
};

/** Returns the verdict on one run. Only a run that was played whole, by a client that kept its schedule, passes or fails. */
export function verdictOf(evidence: Evidence): Verdict {
  const { endedBy, measurement, thresholds, judged, model, maxClientLagMs = 20 } = evidence;
  const { clientLag, endpoints, lostProcesses, sent } = measurement;
  if (measurement.aborted) {
    const words = ['the run was ended early', ...(endedBy === undefined ? [] : [endedBy])];
    return { verdict: 'incomplete', reason: words.join(': ') };
  }
  if (lostProcesses > 0) {
    return {
      verdict: 'invalid',
      reason: `${lostProcesses} client process(es) ended without a result`,
    };
  }
  if (sent === 0) return { verdict: 'incomplete', reason: 'no request could be sent' };
  const crossed = thresholds.filter(({ held, actual }) => !held && actual !== undefined);
  // A wrong reply is wrong however late it was asked for; every other figure is the client's as well.
  const isCertain = crossed.some(({ metric }) => metric === 'wrong');
  const short = Object.values(endpoints).reduce((sum, { errors }) => sum + (errors.client ?? 0), 0);
  if (!isCertain && short > 0) {
    return {
      verdict: 'invalid',
      reason: `${short} requests found no connection, since the machine of the client could open no more: give it more file descriptors (\`ulimit -n\`) or ports, or fewer connections`,
    };
  }
  if (!isCertain && model === 'open' && clientLag.p99Ms > maxClientLagMs) {
    return {
      verdict: 'invalid',
      reason: `the client fell behind its own schedule: 1 % of the requests went out ${Math.round(clientLag.p99Ms)} ms late or more although a connection was free; give it more processes, a lower rate or a machine with less to do`,
    };
  }
  if (crossed.length > 0) return { verdict: 'failed', reason: sentence(crossed) };
  const unmeasured = thresholds.filter(({ actual }) => actual === undefined);
  if (unmeasured.length > 0) return { verdict: 'incomplete', reason: sentence(unmeasured) };
  if (judged === 0) return { verdict: 'incomplete', reason: 'no reply could be judged' };
  return { verdict: 'passed', reason: `all ${thresholds.length} thresholds held` };
}

function sentence(thresholds: readonly ThresholdResult[]): string {
  return thresholds.map(describeCrossing).join('; ');
}
