import type { LoadResult, ThresholdResult } from '../report/load-result.ts';
import { describeCrossing } from '../thresholds/check-thresholds.ts';
import type { SearchResult } from './breakpoint.ts';
import type { Workload } from './engine.ts';
import type { Measurement } from './measure.ts';

/** A verdict and what it rests on. */
export type Verdict = Pick<LoadResult, 'verdict' | 'reason'>;

/** What a verdict on one run is made of. */
export type Evidence = {
  readonly measurement: Pick<Measurement, 'aborted' | 'lostProcesses' | 'sent' | 'clientLag'>;
  readonly thresholds: readonly ThresholdResult[];
  /** Replies that the rules have judged. */
  readonly judged: number;
  readonly model: Workload['model'];
  /** How late the client itself may send in 99 % of the requests. Default 20. */
  readonly maxClientLagMs?: number | undefined;
};

/** Returns the verdict on one run. Only a run that was played whole, by a client that kept its schedule, passes or fails. */
export function verdictOf(evidence: Evidence): Verdict {
  const { measurement, thresholds, judged, model, maxClientLagMs = 20 } = evidence;
  const { clientLag, lostProcesses, sent } = measurement;
  if (measurement.aborted) return { verdict: 'incomplete', reason: 'the run was ended early' };
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

/**
 * Returns the verdict on a search: it passes when some rate held. A rate may be
 * too much for a service, but a wrong reply fails the search at any rate.
 */
export function searchVerdict({ breakpoint, attempts }: SearchResult): Verdict {
  const ended = attempts.find(({ result }) => result.verdict === 'incomplete');
  if (ended !== undefined) return { verdict: 'incomplete', reason: ended.result.reason };
  const { highestHeld, lowestCrossed } = breakpoint;
  const atCrossed = attempts.filter(({ rate }) => rate === lowestCrossed);
  const clientGaveUp = atCrossed.every(({ result }) => result.verdict === 'invalid');
  const [first] = atCrossed;
  if (highestHeld === undefined && clientGaveUp && first !== undefined) {
    return { verdict: 'invalid', reason: `at ${first.rate}/s ${first.result.reason}` };
  }
  const bracket =
    highestHeld === undefined
      ? `the thresholds do not hold even at ${lowestCrossed}/s`
      : `the thresholds hold at ${highestHeld}/s ${
          lowestCrossed === undefined
            ? 'and no higher rate was tried'
            : `and do not at ${lowestCrossed}/s${clientGaveUp ? ', where the client itself fell behind' : ''}`
        }`;
  for (const { rate, result } of attempts) {
    const wrong = result.thresholds.filter(({ metric, held }) => metric === 'wrong' && !held);
    if (wrong.length > 0) {
      return { verdict: 'failed', reason: `at ${rate}/s ${sentence(wrong)}; ${bracket}` };
    }
  }
  return { verdict: highestHeld === undefined ? 'failed' : 'passed', reason: bracket };
}

function sentence(thresholds: readonly ThresholdResult[]): string {
  return thresholds.map(describeCrossing).join('; ');
}
