import { randomUUID } from 'node:crypto';
import { PACKAGE_VERSION } from '../../conformance/client/package-version.ts';
import { tlsOptionsOf } from '../../conformance/client/reach.ts';
import { TimeSpentError } from '../../conformance/output/interruptible.ts';
import { measure } from '../engine/measure.ts';
import { SAMPLES_PER_SECOND } from '../engine/sampler.ts';
import { openStages, requestedBetween, totalDurationS, type Workload } from '../engine/schedule.ts';
import type { LoadResult } from '../model/load-result.ts';
import type { IntervalMetrics, LoadProgress } from '../model/metrics.ts';
import { buildResult } from '../result/build-result.ts';
import { createSampleJudge, mergeSamples } from '../result/sample-judge.ts';
import { createLiveView } from '../watch/live-view.ts';
import { type Attempt, searchBreakpoint, searchVerdict } from './breakpoint.ts';
import type { PreparedRun } from './prepare-load.ts';
import type { ServiceLoad } from './service-load.ts';

/**
 * Runs a profile, shows its progress on standard error, and returns its result with the thresholds
 * checked. After an abort, returns the metrics so far.
 */
export async function runLoad(load: ServiceLoad, prepared: PreparedRun): Promise<LoadResult> {
  const { workload } = load.profile;
  const view = await createLiveView(process.stderr, () => performance.now(), process.env);
  const startedAt = new Date().toISOString();
  const run = await createWorkloadRunner(load, prepared, startedAt, (progress) => {
    view.show(progress);
    load.onProgress?.(progress);
  });
  try {
    if (workload.model === 'closed') return await run(workload);
    if (workload.model === 'open') {
      return await run({ model: 'open', stages: openStages(workload.stages) });
    }
    let steps = 0;
    const search = await searchBreakpoint(workload, (rate) => {
      const stages = [{ durationS: workload.stepS, fromRate: rate, toRate: rate }];
      steps += 1;
      return run({ model: 'open', stages }, { number: steps, rate });
    });
    const { attempts, breakpoint } = search;
    const sum = (of: (result: LoadResult) => number): number =>
      attempts.reduce((total, { result }) => total + of(result), 0);
    return {
      ...shownAttempt(attempts).result,
      ...searchVerdict(search),
      durationMs: sum(({ durationMs }) => durationMs),
      sent: sum(({ sent }) => sent),
      sentAgain: sum(({ sentAgain }) => sentAgain),
      samples: mergeSamples(attempts.map(({ result }) => result.samples)),
      breakpoint,
    };
  } finally {
    view.end();
  }
}

function shownAttempt(attempts: readonly Attempt[]): Attempt {
  const [shown = attempts[0]] = attempts
    .filter(({ result }) => result.verdict === 'passed')
    .sort((a, b) => b.rate - a.rate);
  if (shown === undefined) throw new Error('a search tries at least one rate');
  return shown;
}

async function createWorkloadRunner(
  load: ServiceLoad,
  { facts, mix, redactor, omitted, service }: PreparedRun,
  startedAt: string,
  onProgress: (progress: LoadProgress) => void,
) {
  const { profile, baseUrl, apiKey, reach = {}, routerNames, deps, signal } = load;
  const { connections, processes, timeoutMs } = profile;
  const { headers = [] } = reach;
  const connectOptions = {
    headers: [['User-Agent', `swapcheck/${PACKAGE_VERSION}`], ...headers] as const,
    tls: tlsOptionsOf(reach),
  };
  const judgesAll = load.judge === 'all';
  const samplesPerSecond = judgesAll ? Number.POSITIVE_INFINITY : SAMPLES_PER_SECOND;
  const order = { origin: baseUrl.href, connectOptions, connections, timeoutMs, mix, apiKey };
  const judgeReply = await deps.prepareJudge(facts, routerNames);
  return async (workload: Workload, step?: LoadProgress['step']): Promise<LoadResult> => {
    const stages = workload.model === 'open' ? workload.stages : undefined;
    const totalS =
      workload.model === 'closed' ? workload.durationS : totalDurationS(workload.stages);
    // A full warm-up would leave a short run nothing to measure.
    const warmUpS = Math.min(profile.warmUpS, totalS / 4);
    const judge = createSampleJudge(judgeReply, redactor, judgesAll);
    const startedMs = performance.now();
    const measurement = await measure({
      ...{ ...order, workload, warmUpS, samplesPerSecond },
      ...{ processes, startClients: deps.startClients, signal },
      onSamples: (samples, omitted) => {
        for (const sample of samples) judge.take(sample);
        if (judgesAll) judge.omit(omitted);
      },
      onIntervals: (intervals: readonly IntervalMetrics[]) =>
        onProgress({
          elapsedS: Math.min(totalS, (performance.now() - startedMs) / 1000),
          ...{ totalS, intervals, warmUpS, sampleCount: judge.sampleCount },
          ...(stages && {
            requestedRate: (fromS, toS) => requestedBetween(stages, fromS, toS) / (toS - fromS),
          }),
          ...(step && { step }),
        }),
    });
    const target = redactor.redactSentence(baseUrl.href);
    const about = { runId: randomUUID(), target, startedAt, profile, service };
    const reason: unknown = signal.reason;
    const endedBy =
      reason instanceof TimeSpentError
        ? reason.message
        : typeof reason === 'string'
          ? reason
          : undefined;
    const names = mix.kinds.map(({ endpoint }) => endpoint);
    const planned = { seed: mix.seed, names, workload, totalS, warmUpS };
    return buildResult({
      about: { ...about, omitted: [...omitted] },
      ...planned,
      measurement,
      endedBy,
      judge,
    });
  };
}
