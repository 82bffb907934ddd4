import { availableParallelism } from 'node:os';
import { PACKAGE_VERSION } from '../../conformance/client/package-version.ts';
import type { Measurement } from '../engine/measure.ts';
import { dueBetween, type Workload } from '../engine/schedule.ts';
import type { LoadResult } from '../model/load-result.ts';
import type { Profile } from '../model/profile.ts';
import { checkThresholds } from '../thresholds/check-thresholds.ts';
import { endpointResults, runSeries } from './result-metrics.ts';
import type { SampleJudge } from './sample-judge.ts';
import { verdictOf } from './verdict.ts';

type CompletedRun = {
  readonly about: Pick<
    LoadResult,
    'runId' | 'target' | 'startedAt' | 'profile' | 'omitted' | 'service'
  >;
  readonly seed: number;
  readonly names: readonly string[];
  readonly workload: Workload;
  readonly totalS: number;
  readonly warmUpS: number;
  readonly measurement: Measurement;
  /** Reason for the early end, if known. */
  readonly endedBy?: string | undefined;
  readonly judge: Pick<SampleJudge, 'sampleCount' | 'result'>;
  /** Name of another engine that ran the profile. Such an engine judges no replies. */
  readonly engine?: string | undefined;
};

/** Returns the result of a run, with its thresholds checked. */
export function buildResult(run: CompletedRun): LoadResult {
  const { about, endedBy, engine, judge, measurement, names, seed, warmUpS, workload } = run;
  const { profile } = about;
  const stages = workload.model === 'open' ? workload.stages : undefined;
  const endpoints = endpointResults(measurement.endpoints, [...new Set(names)], measurement);
  const series = runSeries(measurement, stages);
  const intervalS = measurement.intervalMs / 1000;
  const { sampleCount } = judge;
  const metrics = { endpoints, series, intervalS, sampleCount, warmUpS };
  const thresholds = checkThresholds(profile.thresholds, metrics);
  const samples = judge.result();
  const endS = Math.max(warmUpS, endOfSchedule(run));
  const perSecond = (count: number): number => (endS === warmUpS ? 0 : count / (endS - warmUpS));
  return {
    kind: 'load',
    version: PACKAGE_VERSION,
    ...verdictOf({
      endedBy,
      measurement,
      thresholds,
      judged: engine === undefined ? samples.judged : undefined,
      model: workload.model,
      omitted: about.omitted,
      maxClientLagMs: profile.maxClientLagMs,
    }),
    ...about,
    seed,
    durationMs: measurement.durationMs,
    sent: measurement.sent,
    sentAgain: measurement.sentAgain,
    ...(stages === undefined
      ? {}
      : { rateRequested: perSecond(dueBetween(stages, warmUpS, endS)) }),
    rateReached: perSecond(endpoints[0]?.sentInTime ?? 0),
    warmUpS,
    client: { ...clientOf(profile, measurement), ...(engine !== undefined && { engine }) },
    endpoints,
    intervalS,
    series,
    thresholds,
    samples,
  };
}

/** Returns the result of a run that did not start: the verdict and its reason, without metrics. */
export function resultWithoutRun(
  notStarted: Pick<LoadResult, 'verdict' | 'reason' | 'target' | 'profile' | 'seed' | 'startedAt'>,
): LoadResult {
  const { profile } = notStarted;
  return {
    kind: 'load',
    version: PACKAGE_VERSION,
    ...notStarted,
    durationMs: 0,
    sent: 0,
    sentAgain: 0,
    rateReached: 0,
    warmUpS: profile.warmUpS,
    omitted: [],
    client: clientOf(profile),
    endpoints: [],
    intervalS: 1,
    series: [],
    thresholds: profile.thresholds.map((each) => ({ endpoint: 'all', ...each, held: false })),
    samples: { judged: 0, wrong: 0, byEndpoint: {}, findings: [] },
  };
}

/**
 * Returns the second after which no more requests are due, and the run only waits for the last
 * replies.
 */
function endOfSchedule({ measurement, totalS }: CompletedRun): number {
  return measurement.aborted ? Math.min(totalS, measurement.durationMs / 1000) : totalS;
}

function clientOf({ processes }: Profile, measurement?: Measurement): LoadResult['client'] {
  return {
    processes,
    lostProcesses: measurement?.lostProcesses ?? 0,
    cpu: [...(measurement?.clientCpu ?? [])],
    lagP99Ms: measurement?.clientLag.p99Ms ?? 0,
    lagMaxMs: measurement?.clientLag.maxMs ?? 0,
    node: process.version,
    cores: availableParallelism(),
  };
}
