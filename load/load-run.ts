import { setMaxListeners } from 'node:events';
import { ReportWriteError } from '../conformance/report/write-reports.ts';
import { EmptyMixError } from './mix/mix-plan.ts';
import { type PreparedRun, prepareRun, UnreachableServiceError } from './prepare/prepare-run.ts';
import type { Profile } from './profiles/profile.ts';
import { type LoadReportRequest, writeLoadReports } from './report/formats.ts';
import type { LoadResult } from './report/load-result.ts';
import { runLoad } from './run/run-load.ts';
import type { PrepareJudge } from './sample/sample-judge.ts';
import { createLiveView } from './watch/live-view.ts';
import { startMetricsServer } from './watch/metrics-server.ts';

/** A service that was started to be loaded. */
export type Subject = {
  readonly url: string;
  readonly apiKey: string;
  readonly close: () => Promise<void>;
};

/** What the load commands are given by the program they are part of. */
export type LoadCommandDeps = {
  readonly version: string;
  /** Starts the service that is loaded when no URL is given, in a process of its own. */
  readonly startSubject: () => Promise<Subject>;
  /** The reply rules, with what discovery learned. */
  readonly prepareJudge: PrepareJudge;
};

/** What `swapcheck load` was asked for. */
export type LoadRun = {
  /** Undefined: the service that `startSubject` starts. */
  readonly url: URL | undefined;
  readonly profile: Profile;
  readonly seed: number;
  readonly chains: readonly number[];
  readonly apiKey: string | undefined;
  readonly reports: readonly LoadReportRequest[];
  readonly metricsPort: number | undefined;
};

/** Loads a service as asked, writes every report, and resolves to the exit code. */
export async function runLoadCommand(run: LoadRun, deps: LoadCommandDeps): Promise<number> {
  const { signal, release } = interruptible();
  const say = (text: string): void => void process.stderr.write(`${text}\n`);
  const subject = run.url === undefined ? await deps.startSubject() : undefined;
  try {
    const result = await loadOnce({
      baseUrl: run.url ?? new URL(subject?.url ?? ''),
      apiKey: run.apiKey ?? subject?.apiKey ?? '',
      kind: subject === undefined ? 'other' : 'child',
      run,
      deps,
      signal,
      say,
    });
    const colour = !process.env['NO_COLOR'] && process.stdout.isTTY === true;
    await writeLoadReports(result, run.reports, {
      write: (text) => void process.stdout.write(text),
      colour,
    });
    if (result.verdict === 'invalid') say(`INVALID: ${result.reason}`);
    return exitCodeOf(result);
  } catch (error) {
    if (error instanceof UnreachableServiceError || error instanceof EmptyMixError) {
      say(error.message);
      return 3;
    }
    if (error instanceof ReportWriteError || error instanceof PortInUseError) {
      say(error.message);
      return 2;
    }
    throw error;
  } finally {
    release();
    await subject?.close();
  }
}

/** Returns 0 for a run that passed, 1 for a crossed threshold, 3 for one that says nothing. */
export function exitCodeOf({ verdict }: Pick<LoadResult, 'verdict'>): 0 | 1 | 3 {
  return verdict === 'passed' ? 0 : verdict === 'failed' ? 1 : 3;
}

/** One run against one service. */
export type OneLoad = {
  readonly baseUrl: URL;
  readonly apiKey: string;
  readonly kind: 'other' | 'child';
  readonly run: Pick<LoadRun, 'profile' | 'seed' | 'chains' | 'metricsPort'>;
  readonly deps: Pick<LoadCommandDeps, 'version' | 'prepareJudge'>;
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
  /** What an earlier run against this service learned. Default: it is learned now. */
  readonly prepared?: PreparedRun;
};

/** Prepares, plays and returns one run, shown on standard error as it goes. */
export async function loadOnce(load: OneLoad): Promise<LoadResult> {
  const { baseUrl, apiKey, run, deps, signal, say } = load;
  const prepared = load.prepared ?? (await prepareOnce(load));
  const metrics = await openMetrics(run.metricsPort);
  if (metrics !== undefined) say(`Metrics on ${metrics.url}`);
  const colour = !process.env['NO_COLOR'];
  const view = createLiveView(process.stderr, colour, () => performance.now());
  try {
    return await runLoad({
      origin: baseUrl,
      profile: run.profile,
      mix: prepared.mix,
      apiKey,
      judge: deps.prepareJudge(prepared.facts),
      redact: prepared.redact,
      version: deps.version,
      leftOut: prepared.leftOut,
      service: prepared.service,
      onProgress: (progress) => {
        view.show(progress);
        metrics?.update(progress);
      },
      signal,
    });
  } finally {
    view.end();
    await metrics?.close();
  }
}

/** Discovers a service and plans its mix. */
export function prepareOnce({
  baseUrl,
  apiKey,
  kind,
  run,
  signal,
  say,
}: OneLoad): Promise<PreparedRun> {
  say('Discovering what the service offers');
  return prepareRun({
    baseUrl,
    apiKey,
    kind,
    mix: run.profile.mix,
    seed: run.seed,
    chains: run.chains,
    timeoutMs: run.profile.timeoutMs,
    signal,
  });
}

async function openMetrics(port: number | undefined) {
  if (port === undefined) return undefined;
  try {
    return await startMetricsServer(port);
  } catch (cause) {
    throw new PortInUseError(port, cause);
  }
}

/** Ends the run on the first SIGINT, the process on the second. */
export function interruptible(): { readonly signal: AbortSignal; readonly release: () => void } {
  const controller = new AbortController();
  // Discovery has many requests in the air, each of which listens.
  setMaxListeners(0, controller.signal);
  const onInterrupt = (): void => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort();
  };
  process.on('SIGINT', onInterrupt);
  return { signal: controller.signal, release: () => process.off('SIGINT', onInterrupt) };
}

/** Thrown where the metrics cannot be served. */
class PortInUseError extends Error {
  override readonly name = 'PortInUseError';

  constructor(port: number, cause: unknown) {
    super(`--metrics ${port}: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}
