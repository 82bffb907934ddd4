import { setMaxListeners } from 'node:events';
import { publishReport, withoutShownText } from '../conformance/commands/publish-report.ts';
import { canRedraw, wantsColour } from '../conformance/report/terminal.ts';
import { ReportWriteError } from '../conformance/report/write-reports.ts';
import { PreparationError, type PreparedRun, prepareRun } from './prepare/prepare-run.ts';
import type { Profile } from './profiles/profile.ts';
import { LOAD_FORMATS, type LoadReportRequest } from './report/formats.ts';
import type { LoadResult } from './report/load-result.ts';
import { unplayedResult } from './report/unplayed-result.ts';
import { runLoad } from './run/run-load.ts';
import type { PrepareJudge } from './sample/sample-judge.ts';
import { createLiveView, type LiveView } from './watch/live-view.ts';
import { type MetricsServer, startMetricsServer } from './watch/metrics-server.ts';

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
  let metrics: MetricsServer | undefined;
  let subject: Subject | undefined;
  try {
    metrics = await openMetrics(run.metricsPort);
    subject = run.url === undefined ? await deps.startSubject() : undefined;
    const load: OneLoad = {
      baseUrl: run.url ?? new URL(subject?.url ?? ''),
      // What is started here lets in its own key alone.
      apiKey: subject?.apiKey ?? run.apiKey ?? '',
      kind: subject === undefined ? 'other' : 'child',
      run,
      deps,
      signal,
      metrics,
    };
    const prepared = await prepareOnce(load);
    const wasPlayed = !('unplayed' in prepared);
    const result = wasPlayed ? await playOnce(load, prepared) : prepared.unplayed;
    await publish(result, run.reports, wasPlayed);
    return exitCodeOf(result);
  } catch (error) {
    if (error instanceof ReportWriteError || error instanceof PortInUseError) {
      say(error.message);
      return 2;
    }
    throw error;
  } finally {
    release();
    await metrics?.close();
    await subject?.close();
  }
}

/** Writes the reports; the verdict is told in any case, and where the files are. */
async function publish(
  result: LoadResult,
  requests: readonly LoadReportRequest[],
  wasPlayed: boolean,
): Promise<void> {
  // Of a run that never began there is one thing to say.
  const shown = wasPlayed ? requests : withoutShownText(requests);
  const isTold = withoutShownText(shown).length < shown.length;
  if (!wasPlayed) say(result.reason);
  else if (!isTold || result.verdict === 'invalid') {
    say(`${result.verdict.toUpperCase()}: ${result.reason}`);
  }
  const written = await publishReport(result, shown, LOAD_FORMATS);
  if (written.length > 0) say(`Wrote ${written.join(', ')}`);
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
  readonly run: Pick<LoadRun, 'profile' | 'seed' | 'chains'>;
  readonly deps: Pick<LoadCommandDeps, 'version' | 'prepareJudge'>;
  readonly signal: AbortSignal;
  readonly metrics?: MetricsServer | undefined;
};

/** The result of a run that cannot be played. */
export type Unplayed = { readonly unplayed: LoadResult };

/** Discovers a service and plans its mix. */
export async function prepareOnce(load: OneLoad): Promise<PreparedRun | Unplayed> {
  const { baseUrl, apiKey, kind, run, deps, signal } = load;
  const startedAt = new Date().toISOString();
  say('Discovering what the service offers');
  try {
    return await prepareRun({
      baseUrl,
      apiKey,
      kind,
      mix: run.profile.mix,
      seed: run.seed,
      chains: run.chains,
      timeoutMs: run.profile.timeoutMs,
      signal,
    });
  } catch (error) {
    if (!(error instanceof PreparationError)) throw error;
    const { version } = deps;
    const { profile, seed } = run;
    const target = baseUrl.href;
    const reason = error.message;
    return { unplayed: unplayedResult({ reason, target, profile, seed, version, startedAt }) };
  }
}

/** Plays and returns one run, shown on standard error as it goes. */
export async function playOnce(load: OneLoad, prepared: PreparedRun): Promise<LoadResult> {
  const { baseUrl, apiKey, run, deps, signal, metrics } = load;
  const view = openView();
  try {
    return await runLoad({
      origin: baseUrl,
      profile: run.profile,
      mix: prepared.mix,
      apiKey,
      judge: deps.prepareJudge(prepared.facts),
      redactor: prepared.redactor,
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
  }
}

function openView(): LiveView {
  const { stderr, env } = process;
  return createLiveView(
    stderr,
    canRedraw(stderr, env)
      ? { kind: 'drawn', colour: wantsColour(stderr, env) }
      : { kind: 'plain' },
    () => performance.now(),
  );
}

async function openMetrics(port: number | undefined): Promise<MetricsServer | undefined> {
  if (port === undefined) return undefined;
  try {
    const metrics = await startMetricsServer(port);
    say(`Metrics on ${metrics.url}`);
    return metrics;
  } catch (cause) {
    throw new PortInUseError(port, cause);
  }
}

/** Tells the person at the terminal; reports are on standard output. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
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
