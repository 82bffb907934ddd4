import { randomUUID } from 'node:crypto';
import { TimeSpentError } from '../../conformance/output/interruptible.ts';
import type { IntervalFigures, LoadProgress } from '../model/figures.ts';
import type { LoadResult } from '../model/load-result.ts';
import { buildResult } from '../result/build-result.ts';
import { createSampleJudge, mergeSamples } from '../result/sample-judge.ts';
import type { Workload } from '../run/arrivals.ts';
import { measure } from '../run/measure.ts';
import { askedBetween, openStages, totalDurationS } from '../run/schedule.ts';
import { createLiveView } from '../watch/live-view.ts';
import { type Attempt, searchBreakpoint, searchVerdict } from './breakpoint.ts';
import type { PreparedRun } from './prepare-load.ts';
import type { ServiceLoad } from './service-load.ts';

/**
 * Plays a profile, shown on standard error as it goes, and returns its result,
 * thresholds held against it; an abort ends it early with what there is.
 */
export async function playLoad(load: ServiceLoad, prepared: PreparedRun): Promise<LoadResult> {
  const { workload } = load.profile;
  const view = await createLiveView(process.stderr, () => performance.now(), process.env);
  const startedAt = new Date().toISOString();
  const play = await playerOf(load, prepared, startedAt, (progress) => {
    view.show(progress);
    load.onProgress?.(progress);
  });
  try {
    if (workload.model === 'closed') return await play(workload);
    if (workload.model === 'open') {
      return await play({ model: 'open', stages: openStages(workload.stages) });
    }
    let steps = 0;
    const search = await searchBreakpoint(workload, (rate) => {
      const stages = [{ durationS: workload.stepS, fromRate: rate, toRate: rate }];
      steps += 1;
      return play({ model: 'open', stages }, { number: steps, rate });
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
  } finally {
    view.end();
  }
}

/** The highest rate that held, or the first where none did. */
function shownAttempt(attempts: readonly Attempt[]): Attempt {
  const [shown = attempts[0]] = attempts
    .filter(({ result }) => result.verdict === 'passed')
    .sort((a, b) => b.rate - a.rate);
  if (shown === undefined) throw new Error('a search tries at least one rate');
  return shown;
}

/** Returns what plays a workload: the profile's own, or a step of its search. */
async function playerOf(
  { profile, baseUrl: origin, apiKey, routerNames, deps, signal, judgeInThreads }: ServiceLoad,
  { facts, mix, redactor, leftOut, service }: PreparedRun,
  startedAt: string,
  onProgress: (progress: LoadProgress) => void,
) {
  const { connections, processes, timeoutMs } = profile;
  const judgeReply = await deps.prepareJudge(facts, routerNames);
  const judging = await judgeInThreads?.({ facts, routerNames, apiKey });
  return async (workload: Workload, step?: LoadProgress['step']): Promise<LoadResult> => {
    const stages = workload.model === 'open' ? workload.stages : undefined;
    const totalS =
      workload.model === 'closed' ? workload.durationS : totalDurationS(workload.stages);
    // A warm-up as long as a short run would leave nothing to measure.
    const warmUpS = Math.min(profile.warmUpS, totalS / 4);
    const judge = createSampleJudge(judgeReply, redactor);
    const beganMs = performance.now();
    const measurement = await measure({
      ...{ origin, workload, connections, processes, timeoutMs, warmUpS, mix, apiKey },
      ...{ startClients: deps.startClients, judging, signal },
      onSample: judge.take,
      onJudged: judge.add,
      onIntervals: (intervals: readonly IntervalFigures[]) =>
        onProgress({
          elapsedS: Math.min(totalS, (performance.now() - beganMs) / 1000),
          ...{ totalS, intervals },
          ...(stages && {
            askedIn: (fromS, toS) => askedBetween(stages, fromS, toS) / (toS - fromS),
          }),
          ...(step && { step }),
        }),
    });
    const { version } = deps;
    const target = redactor.sentence(origin.href);
    const about = { version, runId: randomUUID(), target, startedAt, profile, leftOut, service };
    const reason: unknown = signal.reason;
    const endedBy = reason instanceof TimeSpentError ? reason.message : undefined;
    const names = mix.kinds.map(({ endpoint }) => endpoint);
    const planned = { seed: mix.seed, names, workload, totalS, warmUpS };
    return buildResult({ about, ...planned, measurement, endedBy, judge });
  };
}
