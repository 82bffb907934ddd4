import { parseBaseUrl } from '../../conformance/client/base-url.ts';
import { NO_API_KEY } from '../../conformance/client/client.ts';
import { checkForkSources } from '../../conformance/execution/fork-option.ts';
import { interruptible, TimeSpentError } from '../../conformance/output/interruptible.ts';
import { given } from '../../conformance/output/option-values.ts';
import { UsageError } from '../../conformance/output/usage-error.ts';
import { publishReports, tryReportPaths } from '../../conformance/output/write-reports.ts';
import { type Measured, runStudy } from '../measure/run-study.ts';
import type { ServiceAccess } from '../measure/studied-service.ts';
import { DEFAULT_SETTINGS, type StudySettings } from '../model/settings.ts';
import type { StudyReport } from '../model/study-report.ts';
import { summarize } from '../summary/summarize.ts';
import { keepWorstPlans } from '../summary/worst.ts';
import { createProgress } from './progress.ts';
import type { StudyDeps, StudyFlags } from './study-command.ts';

/**
 * Measures services, writes the reports and returns the exit code. SIGINT or
 * SIGTERM ends the study early, with what was measured.
 *
 * @throws {UsageError} for options that do not fit
 */
export async function study(
  urls: readonly string[],
  flags: StudyFlags,
  deps: StudyDeps,
): Promise<number> {
  const services = servicesOf(urls, flags);
  const settings = settingsOf(flags);
  await tryReportPaths(flags.report);
  const forks = flags.fork ?? [];
  await checkForkSources(forks);
  const [startedAt, start] = [new Date().toISOString(), performance.now()];
  const maxTimeMs = flags.maxTime && flags.maxTime * 1000;
  return interruptible(async (signal) => {
    const progress = createProgress(process.stderr, () => performance.now(), process.env);
    const measured = await runStudy({
      services,
      forks,
      settings,
      signal,
      pause: deps.pause,
      onEvent: progress.show,
    }).finally(progress.end);
    const report = reportOf(measured, services, settings, {
      version: deps.version,
      startedAt,
      durationMs: Math.round(performance.now() - start),
      why: whyEnded(signal, flags),
    });
    await publishReports(report, flags.report);
    return report.verdict === 'complete' ? 0 : 3;
  }, maxTimeMs);
}

function whyEnded(signal: AbortSignal, { maxTime }: StudyFlags): string | undefined {
  if (!signal.aborted) return undefined;
  return signal.reason instanceof TimeSpentError
    ? `the ${maxTime} s of --max-time are over`
    : 'it was interrupted';
}

function servicesOf(urls: readonly string[], flags: StudyFlags): readonly ServiceAccess[] {
  const { SWAPCHECK_API_KEY = '' } = process.env;
  const keys = flags.apiKey ?? [SWAPCHECK_API_KEY];
  if (keys.length !== 1 && keys.length !== urls.length) {
    throw new UsageError(
      `--api-key was given ${keys.length} times for ${urls.length} services: give one for all, or one for each`,
    );
  }
  if (keys.includes('')) throw new UsageError(NO_API_KEY);
  const parsed = urls.map(parseBaseUrl);
  return parsed.map((url, at) => ({
    url,
    name: nameOf(parsed, at),
    apiKey: keys[at] ?? keys[0] ?? '',
    routerNames: flags.routerName,
    timeoutMs: flags.timeout,
    rate: flags.rate,
  }));
}

/** The host, and a number where it does not tell a service from the others. */
function nameOf(urls: readonly URL[], at: number): string {
  const host = urls[at]?.host ?? '';
  const alike = urls.filter((url) => url.host === host);
  return alike.length === 1 ? host : `${host} #${alike.indexOf(urls[at] as URL) + 1}`;
}

function settingsOf(flags: StudyFlags): StudySettings {
  const { seed, trades, sizes, blocks, fork = [], tolerance, gasPrice } = flags;
  if (fork.length === 0) throw new UsageError('study needs a node of each chain: --fork CHAIN=RPC');
  const chains = fork.map(({ chainId }) => chainId);
  const twice = chains.find((chainId, at) => chains.indexOf(chainId) !== at);
  if (twice !== undefined) throw new UsageError(`--fork names chain ${twice} twice`);
  return {
    ...DEFAULT_SETTINGS,
    sizes: [...DEFAULT_SETTINGS.sizes],
    blocks: [...DEFAULT_SETTINGS.blocks],
    ...given({ seed, trades, sizes, blocks }),
    ...(tolerance !== undefined && { toleranceBps: Math.round(tolerance * 10_000) }),
    ...(gasPrice !== undefined && { gasPriceWei: String(BigInt(Math.round(gasPrice * 1e9))) }),
    chains,
  };
}

function reportOf(
  { trades, missing, notes, requests }: Measured,
  services: readonly ServiceAccess[],
  settings: StudySettings,
  about: Pick<StudyReport, 'version' | 'startedAt' | 'durationMs'> & {
    readonly why: string | undefined;
  },
): StudyReport {
  const { why, ...rest } = about;
  const names = services.map(({ name }) => name);
  const summary = summarize(trades, names, settings);
  const isComplete = missing === 0 && why === undefined;
  const left = why ?? notes[0] ?? 'the chains were lost';
  return {
    kind: 'study',
    ...rest,
    verdict: isComplete ? 'complete' : 'incomplete',
    reason: isComplete
      ? `${trades.length} trades were measured`
      : `${left}: ${missing} trades are missing, wholly or in part`,
    settings,
    services: services.map(({ name, url }, at) => ({
      name,
      url: url.href.replace(/\/$/, ''),
      requests: requests[at] ?? 0,
    })),
    notes: [...notes],
    ...summary,
    trades: keepWorstPlans(trades, summary.worst),
  };
}
