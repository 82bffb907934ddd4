import { type ReachFlags, readReach } from '../../conformance/client/access-options.ts';
import { readApiKey } from '../../conformance/client/api-key.ts';
import { parseBaseUrl } from '../../conformance/client/base-url.ts';
import { PACKAGE_VERSION } from '../../conformance/client/package-version.ts';
import { secretsOf } from '../../conformance/client/reach.ts';
import { createRedactor, redactDeep } from '../../conformance/client/redaction.ts';
import type { RouterNames } from '../../conformance/client/router-names.ts';
import { counted } from '../../conformance/contract/counted.ts';
import { checkForkSources } from '../../conformance/execution/fork/check-sources.ts';
import { interruptible, TimeSpentError } from '../../conformance/output/interruptible.ts';
import { given } from '../../conformance/output/option-values.ts';
import type { ReportRequest } from '../../conformance/output/report-formats.ts';
import { notify } from '../../conformance/output/terminal.ts';
import { UsageError } from '../../conformance/output/usage-error.ts';
import { publishReports, tryReportPaths } from '../../conformance/output/write-reports.ts';
import type { ServiceStart } from '../../conformance/service/config-file.ts';
import { type ForkSource, forksInEnvironment } from '../../conformance/service/fork-option.ts';
import { withOwnService } from '../../conformance/service/own-service.ts';
import { type Measured, runStudy, type StudyOptions } from '../measure/run-study.ts';
import { isLoss } from '../measure/settle-at-block.ts';
import { CannotStudyError, type StudiedAccess } from '../measure/studied-service.ts';
import { DEFAULT_SETTINGS } from '../model/default-settings.ts';
import type { Optimizer } from '../model/optimizer.ts';
import { type StudySettings, tradesIn } from '../model/settings.ts';
import type { StudyReport } from '../model/study-report.ts';
import { describeLeader } from '../report/describe-study.ts';
import { keepWorstPlans, summarize } from '../summary/summarize.ts';
import { createProgress } from './progress.ts';

/** The parsed command line. */
export type StudyFlags = ReachFlags & {
  readonly apiKey?: readonly string[];
  readonly forks?: readonly ForkSource[];
  readonly trades?: number;
  readonly sizes?: number[];
  readonly blocks?: number[];
  readonly tolerance?: number;
  readonly gasPrice?: number;
  readonly seed?: number;
  readonly rate?: number;
  readonly timeoutMs?: number;
  readonly maxTime?: number;
  readonly routerNames?: RouterNames;
  readonly user?: string;
  readonly best?: true;
  readonly market?: string;
  readonly report: readonly ReportRequest<StudyReport>[];
};

/** A service that is started so that it can be measured. */
export type StudySubject = {
  readonly url: string;
  readonly apiKey: string;
  readonly forks: readonly ForkSource[];
  readonly close: () => Promise<void>;
};

/** Dependencies of the command, given by the program. */
export type StudyDeps = {
  /**
   * Returns an optimizer that finds the best plans. If a market or pools file is given, the
   * optimizer uses its pools.
   */
  readonly createOptimizer: (file: string | undefined) => Promise<Optimizer>;
  /** Starts the service that is measured if no URL is given, with the nodes of its chains. */
  readonly startSubject: () => Promise<StudySubject>;
  /** Waits for the next block. Default: half a second. */
  readonly pause?: (signal: AbortSignal) => Promise<void>;
};

/** Services to measure. `start` is set if there is only one service and swapcheck starts it. */
export type StudyTarget = {
  readonly urls: readonly string[];
  readonly start?: ServiceStart | undefined;
};

/**
 * Measures services, writes the reports and returns the exit code. Without a URL, the built-in
 * reference is started and measured. SIGINT or SIGTERM ends the study early, with the measurements
 * so far.
 * @throws {UsageError} for options that are invalid or do not fit together
 */
export async function study(
  { urls, start }: StudyTarget,
  flags: StudyFlags,
  deps: StudyDeps,
): Promise<number> {
  if (urls.length > 0) {
    const services = servicesOf(urls, flags);
    return studyServices(services, flags.forks ?? forksInEnvironment(), flags, deps, start);
  }
  const { url, apiKey, forks, close } = await deps.startSubject();
  try {
    notify('no URL given: measuring the built-in reference');
    const [service] = servicesOf([url], { apiKey: [apiKey], report: [] });
    const services = service === undefined ? [] : [{ ...service, name: 'built-in reference' }];
    // The built-in chains mine no blocks.
    return await studyServices(services, flags.forks ?? forks, { blocks: [0], ...flags }, deps);
  } finally {
    await close();
  }
}

async function studyServices(
  services: readonly StudiedAccess[],
  forks: readonly ForkSource[],
  flags: StudyFlags,
  deps: StudyDeps,
  start?: ServiceStart,
): Promise<number> {
  const settings = { ...DEFAULT_SETTINGS, ...givenSettings(flags, forks) };
  const wantsBest = flags.best === true || flags.market !== undefined;
  const optimizer = wantsBest ? await deps.createOptimizer(flags.market) : undefined;
  await tryReportPaths(flags.report);
  await checkForkSources(forks, flags.maxTime);
  const [startedAt, startMs] = [new Date().toISOString(), performance.now()];
  const progress = await createProgress(process.stderr, () => performance.now(), process.env);
  const { pause } = deps;
  const options = { services, forks, settings, optimizer, pause, onEvent: progress.show };
  const run = async (signal: AbortSignal): Promise<number> => {
    const measured = await measure({ ...options, signal }).finally(progress.end);
    const written = reportOf(measured, services, settings, {
      version: PACKAGE_VERSION,
      startedAt,
      durationMs: Math.round(performance.now() - startMs),
      why: whyEnded(signal, flags),
    });
    // Names of tokens and pools may contain the key.
    const { redactSentence } = createRedactor(
      ...services.map(({ apiKey }) => apiKey),
      ...services.flatMap(secretsOf),
    );
    const report = redactDeep(written, redactSentence);
    const { verdict, reason } = report;
    await publishReports(report, flags.report, { verdict: `${verdict}: ${reason}` });
    return verdict === 'complete' ? 0 : 3;
  };
  const [first] = services;
  return interruptible(
    (signal) => {
      const { url, ...reach } = first ?? {};
      if (url === undefined || start === undefined) return run(signal);
      return withOwnService(url, { start, reach }, signal, run);
    },
    flags.maxTime && flags.maxTime * 1000,
  );
}

/** Measures the services. If the study cannot start, nothing is measured, and a note says why. */
async function measure(options: StudyOptions): Promise<Measured> {
  const { settings, signal } = options;
  try {
    return await runStudy(options);
  } catch (error) {
    if (!signal.aborted && !(error instanceof CannotStudyError || isLoss(error))) throw error;
    const notes = signal.aborted ? [] : [(error as Error).message];
    return { trades: [], missing: tradesIn(settings), notes, requests: [] };
  }
}

function whyEnded(signal: AbortSignal, { maxTime }: StudyFlags): string | undefined {
  if (!signal.aborted) return undefined;
  return signal.reason instanceof TimeSpentError
    ? `the ${maxTime} s of --max-time are over`
    : typeof signal.reason === 'string'
      ? signal.reason
      : 'it was interrupted';
}

function servicesOf(urls: readonly string[], flags: StudyFlags): readonly StudiedAccess[] {
  const { SWAPCHECK_API_KEY = '' } = process.env;
  const keys = (flags.apiKey ?? [SWAPCHECK_API_KEY]).map((key) => readApiKey(key, notify));
  if (keys.length !== 1 && keys.length !== urls.length) {
    throw new UsageError(
      `--api-key was given ${keys.length} times for ${urls.length} services: pass one for all, or one for each`,
    );
  }
  const parsed = urls.map((text) => parseBaseUrl(text));
  const reach = readReach(flags);
  const { routerNames, user, timeoutMs, rate } = flags;
  return parsed.map((url, at) => ({
    url,
    name: nameOf(parsed, at),
    apiKey: keys[at] ?? keys[0] ?? '',
    ...{ ...reach, routerNames, user, timeoutMs, rate },
  }));
}

function nameOf(urls: readonly URL[], at: number): string {
  const host = urls[at]?.host ?? '';
  const alike = urls.filter((url) => url.host === host);
  return alike.length === 1 ? host : `${host} #${alike.indexOf(urls[at] as URL) + 1}`;
}

function givenSettings(
  { seed, trades, sizes, blocks, tolerance, gasPrice }: StudyFlags,
  forks: readonly ForkSource[],
): Partial<StudySettings> & Pick<StudySettings, 'chains'> {
  if (forks.length === 0) {
    throw new UsageError(
      'study needs a node for each chain: pass --fork CHAIN=RPC, or set SWAPCHECK_RPC_<CHAIN>',
    );
  }
  const chains = forks.map(({ chainId }) => chainId);
  const twice = chains.find((chainId, at) => chains.indexOf(chainId) !== at);
  if (twice !== undefined) throw new UsageError(`--fork names chain ${twice} twice`);
  return {
    ...given({ seed, trades, sizes, blocks }),
    ...(tolerance !== undefined && { toleranceBps: Math.round(tolerance * 10_000) }),
    ...(gasPrice !== undefined && { gasPriceWei: String(BigInt(Math.round(gasPrice * 1e9))) }),
    chains,
  };
}

function urlOf({ url }: StudiedAccess): string {
  return url.href.replace(/\/$/, '');
}

function reportOf(
  { trades, missing, notes, requests }: Measured,
  services: readonly StudiedAccess[],
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
  const leader = describeLeader(summary.metrics, summary.duels);
  const measured = `${counted(trades.length, 'trade was', 'trades were')} measured`;
  return {
    kind: 'study',
    ...rest,
    verdict: isComplete ? 'complete' : 'incomplete',
    reason: isComplete
      ? [leader, measured].filter((text) => text !== undefined).join('; ')
      : `${left}: ${counted(missing, 'trade is', 'trades are')} missing, wholly or in part`,
    settings,
    services: services.map((service, at) => ({
      name: service.name,
      url: urlOf(service),
      requests: requests[at] ?? 0,
    })),
    notes: [...notes, ...(services.some(({ insecure }) => insecure) ? [INSECURE] : [])],
    ...summary,
    trades: keepWorstPlans(trades, summary.worst),
  };
}

const INSECURE = "the service's certificate was not verified (--insecure)";
