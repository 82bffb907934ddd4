import { interruptible } from '../../conformance/output/interruptible.ts';
import type { ReportRequest } from '../../conformance/output/report-formats.ts';
import {
  publishReports,
  tryReportPaths,
  withoutShownText,
} from '../../conformance/output/write-reports.ts';
import type { LoadResult } from '../model/load-result.ts';
import { playLoad, prepareLoad, type ServiceLoad, say } from '../play/play-service.ts';
import { type MetricsServer, startMetricsServer } from '../watch/metrics-server.ts';
import { exitCodeOf } from './exit-code.ts';
import { type LoadCommandDeps, openSubject } from './subject.ts';

/** What `swapcheck load` was asked for. */
export type LoadRun = Pick<ServiceLoad, 'profile' | 'seed' | 'chains' | 'routerNames'> & {
  /** Which replies are judged: about a hundred a second, or all. */
  readonly judged: 'sample' | 'all';
  /** Undefined: the service that `startSubject` starts. */
  readonly url: URL | undefined;
  readonly apiKey: string | undefined;
  readonly reports: readonly ReportRequest<LoadResult>[];
  readonly metricsPort: number | undefined;
  /** Of everything; undefined, as long as the profile takes. */
  readonly maxTimeMs: number | undefined;
};

/** Loads a service as asked, writes every report, and resolves to the exit code. */
export async function runLoadCommand(run: LoadRun, deps: LoadCommandDeps): Promise<number> {
  await tryReportPaths(run.reports);
  return interruptible((signal) => loadAndReport(run, deps, signal), run.maxTimeMs);
}

async function loadAndReport(
  run: LoadRun,
  deps: LoadCommandDeps,
  signal: AbortSignal,
): Promise<number> {
  let metrics: MetricsServer | undefined;
  let close = async (): Promise<void> => {};
  try {
    metrics = await openMetrics(run.metricsPort);
    const subject = await openSubject(run, deps);
    close = subject.close;
    const load: ServiceLoad = {
      ...run,
      ...subject,
      judgeInThreads: run.judged === 'all' ? deps.judgeInThreads : undefined,
      deps,
      signal,
      onProgress: (progress) => metrics?.update(progress),
    };
    const prepared = await prepareLoad(load);
    const wasPlayed = prepared.kind === 'prepared';
    const result = wasPlayed ? await playLoad(load, prepared) : prepared.result;
    await publish(result, run.reports, wasPlayed);
    return exitCodeOf(result);
  } catch (error) {
    if (error instanceof PortInUseError) {
      say(error.message);
      return 2;
    }
    throw error;
  } finally {
    await metrics?.close();
    await close();
  }
}

/** Writes the reports; the verdict is told in any case, and where the files are. */
async function publish(
  result: LoadResult,
  requests: readonly ReportRequest<LoadResult>[],
  wasPlayed: boolean,
): Promise<void> {
  // Of a run that never began there is one thing to say.
  const shown = wasPlayed ? requests : withoutShownText(requests);
  const verdict = `${result.verdict.toUpperCase()}: ${result.reason}`;
  if (!wasPlayed) say(result.reason);
  else if (result.verdict === 'invalid') say(verdict);
  const isTold = !wasPlayed || result.verdict === 'invalid';
  await publishReports(result, shown, { verdict: isTold ? undefined : verdict });
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

/** Thrown where the metrics cannot be served. */
class PortInUseError extends Error {
  override readonly name = 'PortInUseError';

  constructor(port: number, cause: unknown) {
    super(`--metrics ${port}: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}
