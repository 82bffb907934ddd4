import { interruptible } from '../../conformance/output/interruptible.ts';
import type { ReportRequest } from '../../conformance/output/report-formats.ts';
import { notify } from '../../conformance/output/terminal.ts';
import {
  publishReports,
  tryReportPaths,
  withoutShownText,
} from '../../conformance/output/write-reports.ts';
import type { LoadResult } from '../model/load-result.ts';
import type { Threshold } from '../model/profile.ts';
import { prepareLoad } from '../run/prepare-load.ts';
import { runLoad } from '../run/run-load.ts';
import type { LoadSettings, ServiceLoad } from '../run/service-load.ts';
import type { LivePage } from '../watch/live-page.ts';
import { type MetricsServer, startMetricsServer } from '../watch/metrics-server.ts';
import type { LoadTarget, ProfileFlags } from './profile-flags.ts';
import { exitCodeOf, type LoadCommandDeps, withService } from './subject.ts';

/** The parsed command line. */
export type LoadFlags = ProfileFlags & {
  readonly report: readonly ReportRequest<LoadResult>[];
  readonly judge: 'sample' | 'all';
  readonly metrics?: number;
  readonly live?: number | true;
  readonly maxTimeMs?: number;
  readonly printProfile?: true;
};

/**
 * Runs a profile against a service, and starts the service if necessary. Writes every report, and
 * resolves to the exit code.
 */
export async function runLoadCommand(
  target: LoadTarget,
  settings: LoadSettings,
  flags: LoadFlags,
  deps: LoadCommandDeps,
): Promise<number> {
  await tryReportPaths(flags.report);
  return interruptible(
    (signal) =>
      withService(target, settings, deps, signal, async (service) => {
        const closers: (() => Promise<void>)[] = [];
        try {
          const metrics = await openMetrics(flags.metrics);
          if (metrics !== undefined) closers.push(metrics.close);
          const { name, thresholds } = settings.profile;
          const title = `${name} on ${service.baseUrl.host}`;
          const live = await openLivePage(flags.live, title, thresholds);
          if (live !== undefined) closers.push(live.close);
          const load: ServiceLoad = {
            ...{ ...settings, ...service, deps },
            judge: flags.judge,
            onProgress: (progress) => {
              metrics?.update(progress);
              live?.update(progress);
            },
          };
          const prepared = await prepareLoad(load);
          const didRun = prepared.kind === 'prepared';
          const result = didRun ? await runLoad(load, prepared) : prepared.result;
          live?.finish(result);
          await publish(result, flags.report, didRun);
          return exitCodeOf(result);
        } finally {
          for (const close of closers.reverse()) await close();
        }
      }),
    flags.maxTimeMs,
  );
}

async function publish(
  result: LoadResult,
  requests: readonly ReportRequest<LoadResult>[],
  didRun: boolean,
): Promise<void> {
  // A run that never began has only a reason to show.
  const shown = didRun ? requests : withoutShownText(requests);
  const verdict = `${result.verdict.toUpperCase()}: ${result.reason}`;
  const isShown = !didRun || result.verdict === 'invalid';
  if (isShown) notify(verdict);
  await publishReports(result, shown, { verdict: isShown ? undefined : verdict });
}

async function openMetrics(port: number | undefined): Promise<MetricsServer | undefined> {
  if (port === undefined) return undefined;
  const metrics = await startMetricsServer(port);
  notify(`Metrics on ${metrics.url}`);
  return metrics;
}

async function openLivePage(
  port: number | true | undefined,
  title: string,
  thresholds: readonly Threshold[],
): Promise<LivePage | undefined> {
  if (port === undefined) return undefined;
  const { startLivePage } = await import('../watch/live-page.ts');
  const live = await startLivePage(port === true ? 0 : port, { title, thresholds });
  notify(`Live page on ${live.url}`);
  return live;
}
