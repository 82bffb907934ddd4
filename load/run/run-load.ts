import { availableParallelism } from 'node:os';
import type { MixPlan } from '../mix/mix-plan.ts';
import type { Profile } from '../profiles/profile.ts';
import { askedBetween, endpointResults, series } from '../report/build-result.ts';
import type { LoadResult, ThresholdResult } from '../report/load-result.ts';
import { createSampleJudge, type JudgeReply } from '../sample/sample-judge.ts';
import { checkThresholds, describeCrossing } from '../thresholds/check-thresholds.ts';
import { searchBreakpoint } from './breakpoint.ts';
import type { Workload } from './engine.ts';
import { type Measurement, measure } from './measure.ts';
import { openStages } from './open-stages.ts';
import type { IntervalFigures } from './recorder.ts';
import { type Stage, totalDurationS } from './schedule.ts';

/** What a load run needs. */
export type LoadOptions = {
  readonly origin: URL;
  readonly profile: Profile;
  readonly mix: MixPlan;
  readonly apiKey: string;
  readonly judge: JudgeReply;
  /** Takes the API key out of a text. */
  readonly redact: (text: string) => string;
  readonly version: string;
  /** Kinds of the mix that this service cannot be asked, with the reason. */
  readonly leftOut?: readonly string[];
  /** What is known of the service's machine. */
  readonly service?: LoadResult['service'];
  /** Every second or so, with what ended since. */
  readonly onProgress: (progress: LoadProgress) => void;
  readonly signal?: AbortSignal;
};

/** A glimpse of a run under way. */
export type LoadProgress = {
  readonly elapsedS: number;
  /** Seconds that the run is to take; of a breakpoint search, its present step. */
  readonly totalS: number;
  readonly asked?: number;
  readonly intervals: readonly IntervalFigures[];
  /** What is being done, when it is not simply the profile. */
  readonly phase?: string;
};

/** Plays a profile and returns its result, thresholds held against it; an abort ends it early with what there is. */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const { profile } = options;
  const { workload } = profile;
  const startedAt = new Date().toISOString();
  if (workload.model === 'breakpoint') {
    const tried = new Map<number, LoadResult>();
    const breakpoint = await searchBreakpoint(workload, async (rate) => {
      const stages = [{ durationS: workload.stepS, fromRate: rate, toRate: rate }];
      const step = await playOnce(options, { model: 'open', stages }, startedAt, `${rate}/s`);
      tried.set(rate, step);
      return step;
    });
    const last = tried.get(breakpoint.highestHeld ?? breakpoint.steps[0]?.rate ?? 0);
    if (last === undefined) throw new Error('a breakpoint search tries at least one rate');
    return { ...last, breakpoint, ...breakpointVerdict(breakpoint, [...tried.values()]) };
  }
  return playOnce(options, toWorkload(workload), startedAt);
}

async function playOnce(
  options: LoadOptions,
  workload: Workload,
  startedAt: string,
  phase?: string,
): Promise<LoadResult> {
  const { profile, mix } = options;
  const stages = workload.model === 'open' ? workload.stages : undefined;
  const totalS = workload.model === 'open' ? totalDurationS(workload.stages) : workload.durationS;
  // A warm-up as long as a short run would leave nothing to measure.
  const warmUpS = Math.min(profile.warmUpS, totalS / 4);
  const judge = createSampleJudge(options.judge, options.redact);
  const beganMs = performance.now();
  const elapsedS = (): number => (performance.now() - beganMs) / 1000;
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
        elapsedS: Math.min(totalS, elapsedS()),
        totalS,
        intervals,
        ...(stages === undefined
          ? {}
          : { asked: askedLately(stages, Math.min(totalS, elapsedS())) }),
        ...(phase === undefined ? {} : { phase }),
      }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  const endpoints = endpointResults(measurement.endpoints, mix);
  const all = series(measurement, 'all', stages);
  const rateAsked =
    stages === undefined ? undefined : askedBetween(stages, warmUpS, totalS) / (totalS - warmUpS);
  const rateReached = reachedRate(measurement, warmUpS, totalS);
  const firstWrongS = judge.firstWrongS();
  const thresholds = checkThresholds(profile.thresholds, {
    endpoints,
    seriesOf: (endpoint) => (endpoint === 'all' ? all : series(measurement, endpoint, stages)),
    wrong: judge.wrong(),
    warmUpS,
    ...(firstWrongS === undefined ? {} : { firstWrongS }),
    ...(rateAsked === undefined ? {} : { rateRatio: rateReached / rateAsked }),
  });
  const client = clientOf(measurement, profile);
  return {
    kind: 'load',
    version: options.version,
    ...verdictOf(measurement, thresholds, judge.judged(), workload, profile.maxClientLagMs),
    target: options.redact(options.origin.href),
    seed: mix.seed,
    startedAt,
    profile,
    durationMs: measurement.durationMs,
    sent: measurement.sent,
    ...(rateAsked === undefined ? {} : { rateAsked }),
    rateReached,
    warmUpS,
    leftOut: [...(options.leftOut ?? [])],
    ...(options.service === undefined ? {} : { service: options.service }),
    client,
    endpoints,
    intervalS: measurement.intervalMs / 1000,
    series: all,
    thresholds,
    samples: { judged: judge.judged(), wrong: judge.wrong(), findings: judge.findings() },
  };
}

// Over the last second, or what there was of it.
function askedLately(stages: readonly Stage[], nowS: number): number {
  const fromS = Math.max(0, nowS - 1);
  return nowS > fromS ? askedBetween(stages, fromS, nowS) / (nowS - fromS) : 0;
}

type Verdict = Pick<LoadResult, 'verdict' | 'reason'>;

function verdictOf(
  measurement: Measurement,
  thresholds: readonly ThresholdResult[],
  judged: number,
  workload: Workload,
  maxClientLagMs = MOST_CLIENT_LAG_MS,
): Verdict {
  const { clientLag, lostProcesses, sent } = measurement;
  if (measurement.aborted) return { verdict: 'incomplete', reason: 'the run was ended early' };
  if (lostProcesses > 0) {
    return {
      verdict: 'invalid',
      reason: `${lostProcesses} client process(es) ended without a result`,
    };
  }
  if (sent === 0) return { verdict: 'incomplete', reason: 'no request could be sent' };
  const crossed = thresholds.filter(({ held }) => !held);
  // A wrong reply is wrong however late it was asked for; every other figure is the client's as well.
  const isCertain = crossed.some(
    ({ metric, actual }) => metric === 'wrong' && actual !== undefined,
  );
  if (!isCertain && workload.model === 'open' && clientLag.p99Ms > maxClientLagMs) {
    return {
      verdict: 'invalid',
      reason: `the client fell behind its own schedule: 1 % of the requests went out ${Math.round(clientLag.p99Ms)} ms late or more although a connection was free; give it more processes or a lower rate`,
    };
  }
  if (crossed.length > 0) {
    return { verdict: 'failed', reason: crossed.map(describeCrossing).join('; ') };
  }
  if (judged === 0) return { verdict: 'incomplete', reason: 'no reply could be judged' };
  return { verdict: 'passed', reason: `all ${thresholds.length} thresholds held` };
}

function breakpointVerdict(
  { highestHeld, lowestCrossed }: NonNullable<LoadResult['breakpoint']>,
  steps: readonly LoadResult[],
): Verdict {
  const bad = steps.find(({ verdict }) => verdict === 'incomplete');
  if (bad !== undefined) return { verdict: 'incomplete', reason: bad.reason };
  if (highestHeld === undefined) {
    return { verdict: 'failed', reason: `the thresholds do not hold even at ${lowestCrossed}/s` };
  }
  const clientGaveUp = steps.find(({ verdict }) => verdict === 'invalid');
  const upTo =
    lowestCrossed === undefined
      ? 'and no higher rate was tried'
      : `and do not at ${lowestCrossed}/s${clientGaveUp === undefined ? '' : ', where the client itself fell behind'}`;
  return { verdict: 'passed', reason: `the thresholds hold at ${highestHeld}/s ${upTo}` };
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

// Waiting for the last replies is no time in which anything was asked.
function reachedRate(
  { sentInTime, durationMs, aborted }: Measurement,
  warmUpS: number,
  totalS: number,
): number {
  const overS = (aborted ? Math.min(totalS, durationMs / 1000) : totalS) - warmUpS;
  return overS <= 0 ? 0 : sentInTime / overS;
}

function toWorkload(workload: Exclude<Profile['workload'], { model: 'breakpoint' }>): Workload {
  if (workload.model === 'closed') return workload;
  return { model: 'open', stages: openStages(workload.stages) };
}

const MOST_CLIENT_LAG_MS = 20;
