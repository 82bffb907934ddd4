import { randomUUID } from 'node:crypto';
import type { Redactor } from '../../conformance/client/redaction.ts';
import { TimeSpentError } from '../../conformance/output/interruptible.ts';
import type { RequestMix } from '../mix/request-mix.ts';
import type { LoadProgress } from '../model/figures.ts';
import type { LoadResult } from '../model/load-result.ts';
import type { Profile } from '../model/profile.ts';
import { buildResult } from '../result/build-result.ts';
import { createSampleJudge, type JudgeReply, mergeSamples } from '../result/sample-judge.ts';
import type { Workload } from '../run/arrivals.ts';
import type { StartClients } from '../run/client.ts';
import type { JudgeOrder } from '../run/judge-pool.ts';
import { measure } from '../run/measure.ts';
import { askedBetween, openStages, totalDurationS } from '../run/schedule.ts';
import { type Attempt, searchBreakpoint, searchVerdict } from './breakpoint.ts';

/** What a load run needs. */
export type PlayOptions = {
  readonly origin: URL;
  readonly profile: Profile;
  readonly mix: RequestMix;
  readonly apiKey: string;
  readonly judge: JudgeReply;
  /** Judges every reply, in threads beside the clients; absent, `judge` judges a sample. */
  readonly judging?: Omit<JudgeOrder, 'threads'> | undefined;
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
  /** Default: processes of their own. */
  readonly startClients?: StartClients | undefined;
};

/** Plays a profile and returns its result, thresholds held against it; an abort ends it early with what there is. */
export async function playProfile(options: PlayOptions): Promise<LoadResult> {
  const { workload } = options.profile;
  const startedAt = new Date().toISOString();
  if (workload.model === 'closed') return playWorkload(options, workload, startedAt);
  if (workload.model === 'open') {
    return playWorkload(options, { model: 'open', stages: openStages(workload.stages) }, startedAt);
  }
  let steps = 0;
  const search = await searchBreakpoint(workload, (rate) => {
    const stages = [{ durationS: workload.stepS, fromRate: rate, toRate: rate }];
    steps += 1;
    return playWorkload(options, { model: 'open', stages }, startedAt, { number: steps, rate });
  });
  const { attempts, breakpoint } = search;
  const sum = (of: (result: LoadResult) => number): number =>
    attempts.reduce((total, { result }) => total + of(result), 0);
  return {
    ...shownAttempt(attempts).result,
    ...searchVerdict(search),
    durationMs: sum(({ durationMs }) => durationMs),
    sent: sum(({ sent }) => sent),
    sentAgain: sum(({ sentAgain = 0 }) => sentAgain),
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

async function playWorkload(
  options: PlayOptions,
  workload: Workload,
  startedAt: string,
  step?: LoadProgress['step'],
): Promise<LoadResult> {
  const { profile, mix, origin, redactor } = options;
  const { connections, processes, timeoutMs } = profile;
  const totalS = workload.model === 'closed' ? workload.durationS : totalDurationS(workload.stages);
  // A warm-up as long as a short run would leave nothing to measure.
  const warmUpS = Math.min(profile.warmUpS, totalS / 4);
  const judge = createSampleJudge(options.judge, redactor);
  const beganMs = performance.now();
  const asked =
    workload.model === 'closed'
      ? {}
      : {
          askedIn: (fromS: number, toS: number) =>
            askedBetween(workload.stages, fromS, toS) / (toS - fromS),
        };
  const measurement = await measure({
    ...{ origin, workload, connections, processes, timeoutMs, warmUpS, mix },
    apiKey: options.apiKey,
    startClients: options.startClients,
    judging: options.judging,
    onSample: judge.take,
    onJudged: judge.add,
    onIntervals(intervals) {
      const elapsedS = Math.min(totalS, (performance.now() - beganMs) / 1000);
      options.onProgress({
        elapsedS,
        totalS,
        intervals,
        ...asked,
        ...(step === undefined ? {} : { step }),
      });
    },
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  const about = {
    version: options.version,
    runId: randomUUID(),
    target: redactor.sentence(origin.href),
    startedAt,
    profile,
    leftOut: [...(options.leftOut ?? [])],
    ...(options.service === undefined ? {} : { service: options.service }),
  };
  const reason: unknown = options.signal?.reason;
  const endedBy = reason instanceof TimeSpentError ? reason.message : undefined;
  return buildResult({ about, mix, workload, totalS, warmUpS, measurement, endedBy, judge });
}
