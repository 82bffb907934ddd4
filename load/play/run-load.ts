import { availableParallelism } from 'node:os';
import type { Redactor } from '../../conformance/client/redaction.ts';
import type { MixPlan } from '../mix/mix-plan.ts';
import type { LoadProgress } from '../model/figures.ts';
import type { LoadResult } from '../model/load-result.ts';
import type { Profile } from '../model/profile.ts';
import { endpointResults, runSeries } from '../result/build-result.ts';
import { createSampleJudge, type JudgeReply, mergeSamples } from '../result/sample-judge.ts';
import { verdictOf } from '../result/verdict.ts';
import type { Workload } from '../run/arrivals.ts';
import { type Measurement, measure } from '../run/measure.ts';
import { askedBetween, dueBetween, openStages, totalDurationS } from '../run/schedule.ts';
import { checkThresholds } from '../thresholds/check-thresholds.ts';
import { type Attempt, searchBreakpoint, searchVerdict } from './breakpoint.ts';

/** What a load run needs. */
export type LoadOptions = {
  readonly origin: URL;
  readonly profile: Profile;
  readonly mix: MixPlan;
  readonly apiKey: string;
  readonly judge: JudgeReply;
  /** Takes the API key out of what is shown. */
  readonly redactor: Redactor;
  readonly version: string;
  /** Kinds of the mix that this service cannot be asked, with the reason. */
  readonly leftOut?: readonly string[];
  /** What is known of the service's machine. */
  readonly service?: LoadResult['service'];
  /** Every second or so, with what ended since. */
  readonly onProgress: (progress: LoadProgress) => void;
  readonly signal?: AbortSignal;
};

/** Plays a profile and returns its result, thresholds held against it; an abort ends it early with what there is. */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const { workload } = options.profile;
  const startedAt = new Date().toISOString();
  if (workload.model === 'closed') return playOnce(options, workload, startedAt);
  if (workload.model === 'open') {
    return playOnce(options, { model: 'open', stages: openStages(workload.stages) }, startedAt);
  }
  let steps = 0;
  const search = await searchBreakpoint(workload, (rate) => {
    const stages = [{ durationS: workload.stepS, fromRate: rate, toRate: rate }];
    steps += 1;
    return playOnce(options, { model: 'open', stages }, startedAt, { number: steps, rate });
  });
  const { attempts, breakpoint } = search;
  const sum = (of: (result: LoadResult) => number): number =>
    attempts.reduce((total, { result }) => total + of(result), 0);
  return {
    ...shownAttempt(attempts).result,
    ...searchVerdict(search),
    durationMs: sum(({ durationMs }) => durationMs),
    sent: sum(({ sent }) => sent),
    samples: mergeSamples(attempts.map(({ result }) => result.samples)),
    breakpoint,
  };
}

/** The highest rate that held, or the first where none did. */
function shownAttempt(attempts: readonly Attempt[]): Attempt {
  const [shown = attempts[0]] = attempts
    .filter(({ result }) => result.verdict === 'passed')
    .sort((a, b) => b.rate - a.rate);
  if (shown === undefined) throw new Error('a search tries at least one rate');
  return shown;
}

async function playOnce(
  options: LoadOptions,
  workload: Workload,
  startedAt: string,
  step?: LoadProgress['step'],
): Promise<LoadResult> {
  const { profile, mix } = options;
  const stages = workload.model === 'open' ? workload.stages : undefined;
  const totalS = durationOf(workload);
  // A warm-up as long as a short run would leave nothing to measure.
  const warmUpS = Math.min(profile.warmUpS, totalS / 4);
  const judge = createSampleJudge(options.judge, options.redactor);
  const beganMs = performance.now();
  const measurement = await measure({
    origin: options.origin,
    workload,
    connections: profile.connections,
    processes: profile.processes,
    timeoutMs: profile.timeoutMs,
    warmUpS,
    mix,
    apiKey: options.apiKey,
    onSample: judge.take,
    onIntervals: (intervals) =>
      options.onProgress({
        elapsedS: Math.min(totalS, (performance.now() - beganMs) / 1000),
        totalS,
        intervals,
        ...(stages === undefined
          ? {}
          : { askedIn: (fromS, toS) => askedBetween(stages, fromS, toS) / (toS - fromS) }),
        ...(step === undefined ? {} : { step }),
      }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  const endpoints = endpointResults(measurement.endpoints, mix, measurement);
  const series = runSeries(measurement, stages);
  const intervalS = measurement.intervalMs / 1000;
  const thresholds = checkThresholds(profile.thresholds, {
    endpoints,
    series,
    intervalS,
    sampleCount: judge.sampleCount,
    warmUpS,
  });
  const samples = judge.result();
  // Waiting for the last replies is no time in which anything was asked.
  const endS = measurement.aborted ? Math.min(totalS, measurement.durationMs / 1000) : totalS;
  const measuredS = Math.max(0, endS - warmUpS);
  const perSecond = (count: number): number => (measuredS === 0 ? 0 : count / measuredS);
  return {
    kind: 'load',
    version: options.version,
    ...verdictOf({
      measurement,
      thresholds,
      judged: samples.judged,
      model: workload.model,
      maxClientLagMs: profile.maxClientLagMs,
    }),
    target: options.redactor.sentence(options.origin.href),
    seed: mix.seed,
    startedAt,
    profile,
    durationMs: measurement.durationMs,
    sent: measurement.sent,
    ...(stages === undefined
      ? {}
      : { rateAsked: perSecond(dueBetween(stages, warmUpS, Math.max(warmUpS, endS))) }),
    rateReached: perSecond(endpoints[0]?.sentInTime ?? 0),
    warmUpS,
    leftOut: [...(options.leftOut ?? [])],
    ...(options.service === undefined ? {} : { service: options.service }),
    client: clientOf(measurement, profile),
    endpoints,
    intervalS,
    series,
    thresholds,
    samples,
  };
}

function clientOf(measurement: Measurement, profile: Profile): LoadResult['client'] {
  return {
    processes: profile.processes,
    lostProcesses: measurement.lostProcesses,
    cpu: [...measurement.clientCpu],
    lagP99Ms: measurement.clientLag.p99Ms,
    lagMaxMs: measurement.clientLag.maxMs,
    node: process.version,
    cores: availableParallelism(),
  };
}

function durationOf(workload: Workload): number {
  return workload.model === 'closed' ? workload.durationS : totalDurationS(workload.stages);
}
