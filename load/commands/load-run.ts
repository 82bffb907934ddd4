import { interruptible } from '../../conformance/output/interruptible.ts';
import type { ReportRequest } from '../../conformance/output/report-formats.ts';
import { UsageError } from '../../conformance/output/usage-error.ts';
import {
  publishReports,
  tryReportPaths,
  withoutShownText,
} from '../../conformance/output/write-reports.ts';
import type { LoadResult } from '../model/load-result.ts';
import { prepareLoad } from '../run/prepare-load.ts';
import { runLoad } from '../run/run-load.ts';
import { type LoadSettings, type ServiceLoad, say } from '../run/service-load.ts';
import { type MetricsServer, startMetricsServer } from '../watch/metrics-server.ts';
import { exitCodeOf } from './exit-code.ts';
import type { LoadFlags } from './load-command.ts';
import { type LoadCommandDeps, openSubject } from './subject.ts';

/** Loads a service as asked, or the one that is started here; writes every report, and resolves to the exit code. */
export async function runLoadCommand(
  url: URL | undefined,
  settings: LoadSettings,
  flags: LoadFlags,
  deps: LoadCommandDeps,
): Promise<number> {
  await tryReportPaths(flags.report);
  return interruptible(
    async (signal) => {
      let metrics: MetricsServer | undefined;
      let close = async (): Promise<void> => {};
      try {
        metrics = await openMetrics(flags.metrics);
        const subject = await openSubject(url, settings, deps);
        close = subject.close;
        const load: ServiceLoad = {
          ...{ ...settings, ...subject, deps, signal },
          judge: flags.judge,
          onProgress: (progress) => metrics?.update(progress),
        };
        const prepared = await prepareLoad(load);
        const didRun = prepared.kind === 'prepared';
        const result = didRun ? await runLoad(load, prepared) : prepared.result;
        await publish(result, flags.report, didRun);
        return exitCodeOf(result);
      } finally {
        await metrics?.close();
        await close();
      }
    },
    flags.maxTime && flags.maxTime * 1000,
  );
}

/** Writes the reports; the verdict is told in any case, and where the files are. */
async function publish(
  result: LoadResult,
  requests: readonly ReportRequest<LoadResult>[],
  didRun: boolean,
): Promise<void> {
  // Of a run that never began there is one thing to say.
  const shown = didRun ? requests : withoutShownText(requests);
  const verdict = `${result.verdict.toUpperCase()}: ${result.reason}`;
  if (!didRun) say(result.reason);
  else if (result.verdict === 'invalid') say(verdict);
  const isTold = !didRun || result.verdict === 'invalid';
  await publishReports(result, shown, { verdict: isTold ? undefined : verdict });
}

async function openMetrics(port: number | undefined): Promise<MetricsServer | undefined> {
  if (port === undefined) return undefined;
  try {
    const metrics = await startMetricsServer(port);
    say(`Metrics on ${metrics.url}`);
    return metrics;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : cause;
    throw new UsageError(`--metrics ${port}: ${why}`, { cause });
  }
}
