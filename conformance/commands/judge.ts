import { openRecording } from '../captured/recording.ts';
import { parseBaseUrl } from '../client/base-url.ts';
import { createHttpTransport } from '../client/http-transport.ts';
import { secretsOf } from '../client/reach.ts';
import { reachOf } from '../client/reach-options.ts';
import { createRedactor } from '../client/redaction.ts';
import { API_PREFIX } from '../contract/paths.ts';
import { type JudgeOverOptions, judgeOver, rulesOf } from '../library/judge-over.ts';
import type { Report } from '../model/report.ts';
import type { Rule } from '../model/rule.ts';
import { interruptible } from '../output/interruptible.ts';
import { given } from '../output/option-values.ts';
import { UsageError } from '../output/usage-error.ts';
import {
  publishReports,
  tryFile,
  tryReportPaths,
  withoutShownText,
} from '../output/write-reports.ts';
import { createProgress } from '../report/progress.ts';
import { verdictLine } from '../report/rule-results.ts';
import { CATALOG } from '../rules/catalog.ts';
import { selectRules, UnknownRuleError } from '../runner/select-rules.ts';
import { exitCodeOf } from '../runner/verdict.ts';
import type { Waiver } from '../runner/waivers.ts';
import { checkForks } from './check-forks.ts';
import type { ServiceConfig } from './config-file.ts';
import { createEvidenceFiles } from './evidence-files.ts';
import { readLastFailed } from './last-failed.ts';
import { startOwnService } from './own-service.ts';
import { readRules } from './rules-file.ts';
import type { StartSubject, Subject } from './subject.ts';
import type { TestFlags } from './test-command.ts';
import { waitForService } from './wait-for-service.ts';
import { readWaivers, removeWaivers, writeWaivers } from './waiver-file.ts';

export type JudgeOptions = {
  readonly baseUrl: string | undefined;
  /** How the service at `baseUrl` is started, if it is. */
  readonly starting?: Omit<ServiceConfig, 'url'>;
  readonly flags: TestFlags;
  /** Kinds of rules that judge; empty, all. */
  readonly kinds: readonly Rule['kind'][];
  readonly version: string;
  readonly startSubject: StartSubject;
};

/**
 * Judges a service, writes the reports and returns the exit code. A signal
 * ends the run early, reports and all; the second ends the process.
 *
 * @throws {UsageError} for options that do not fit.
 */
export async function judge(options: JudgeOptions): Promise<number> {
  const { baseUrl, kinds } = options;
  const service = baseUrl === undefined ? undefined : parseBaseUrl(baseUrl);
  checkFlags(options.flags, service);
  const { lastFailed } = options.flags;
  const again = lastFailed === undefined ? {} : readLastFailed(lastFailed);
  if (again === undefined) {
    process.stderr.write(`Nothing failed in ${lastFailed}.\n`);
    return 0;
  }
  const flags = { ...again, ...options.flags };
  const ownRules = await readRules(flags.rules);
  checkSelection(flags, rulesOf(kinds, ownRules));
  readWaiversOf(flags, ownRules);
  await tryReportPaths(flags.report);
  const { writeWaivers: waivers } = flags;
  if (waivers !== undefined) await tryFile(waivers, `--write-waivers ${waivers}`);
  let startedAt = performance.now();
  const fork = await checkForks({ baseUrl, flags, executesOnly: kinds.length > 0 });
  const judged = { ...options, ownRules, flags: { ...flags, ...given({ fork }) } };
  return interruptible(async (signal) => {
    const { start, ready } = options.starting ?? {};
    const own =
      service === undefined || start === undefined || ready === undefined
        ? undefined
        : await startOwnService(
            service,
            { ...reachOf(flags), ...ready, start, log: SERVICE_LOG },
            signal,
          );
    try {
      if (own?.failure !== undefined) {
        process.stderr.write(`${own.failure}\n`);
        return INCOMPLETE;
      }
      if (service !== undefined && flags.wait !== undefined) {
        const wait = { ...reachOf(flags), path: `${API_PREFIX}/chains`, seconds: flags.wait };
        const why = await waitForService(service, wait, signal);
        // The run itself reports that the service does not respond.
        if (why !== undefined) process.stderr.write(`${why}\n`);
      }
      if (own !== undefined || flags.wait !== undefined) startedAt = performance.now();
      return await judgeOnce(judged, service, signal, startedAt);
    } finally {
      await own?.stop();
      if (own !== undefined)
        process.stderr.write(`The output of the service is in ${SERVICE_LOG}.\n`);
    }
  });
}

/** Output of a service that `start:` started, next to the reports. */
const SERVICE_LOG = 'reports/service.log';
const INCOMPLETE = 3;

function checkFlags(
  { waivers, pruneWaivers, wait, config, lastFailed, only }: TestFlags,
  service: URL | undefined,
): void {
  if (pruneWaivers && waivers === undefined) {
    throw new UsageError('--prune-waivers: expected --waivers FILE, from which to take them out');
  }
  if (lastFailed !== undefined && only !== undefined) {
    throw new UsageError('--last-failed: --only cannot be given too, since it names the rules');
  }
  if (config !== undefined && service === undefined) {
    throw new UsageError(
      `--config ${config}: a BASE_URL is required, on the command line or as url: in the file`,
    );
  }
  if (wait !== undefined && service === undefined) {
    throw new UsageError('--wait: expected a BASE_URL, of a service that is about to start');
  }
}

/** Refuses a name that no rule has before anything is started, or a recording written over. */
function checkSelection({ only, level }: TestFlags, rules: readonly Rule[]): void {
  try {
    selectRules(rules, { only, level });
  } catch (error) {
    throw error instanceof UnknownRuleError ? new UsageError(`--only: ${error.message}`) : error;
  }
}

function readWaiversOf({ waivers }: TestFlags, ownRules: readonly Rule[]): readonly Waiver[] {
  const ids = new Set([...CATALOG, ...ownRules].map(({ id }) => id));
  return waivers === undefined ? [] : readWaivers(waivers, ids);
}

async function judgeOnce(
  options: JudgeOptions & { readonly ownRules: readonly Rule[] },
  service: URL | undefined,
  signal: AbortSignal,
  startedAt: number,
): Promise<number> {
  const { flags, ownRules } = options;
  const waivers = readWaiversOf(flags, ownRules);
  const idle = new Set<Waiver>();
  const lost: Error[] = [];
  const files = createEvidenceFiles(flags.report);
  const subject = service === undefined ? await options.startSubject() : undefined;
  const spentMs = performance.now() - startedAt;
  const about = 'No BASE_URL: the built-in reference service';
  if (subject !== undefined) process.stderr.write(`${about} is judged, at ${subject.url}.\n`);
  try {
    const url = service ?? new URL(subject?.url ?? '');
    const report = await run(options, url, subject, {
      ...{ ownRules, waivers, signal, spentMs },
      ...(flags.pruneWaivers && { dropIdleWaiver: (waiver: Waiver) => void idle.add(waiver) }),
      keepEvidence: files.keep,
      onRecordingLost: (error) => void lost.push(error),
    });
    await files.write();
    await publish(report, flags);
    if (subject !== undefined) process.stderr.write(`${about} was judged.\n`);
    if (idle.size > 0) prune(flags.waivers ?? '', waivers, idle);
    for (const error of lost) throw error;
    return exitCodeOf(report);
  } finally {
    await subject?.close();
  }
}

function prune(path: string, waivers: readonly Waiver[], idle: ReadonlySet<Waiver>): void {
  const places = [...waivers.keys()].filter((place) => idle.has(waivers[place] as Waiver));
  removeWaivers(path, places);
  const rules = [...idle].map(({ rule }) => rule).join(', ');
  process.stderr.write(`${path}: took out ${idle.size} that no longer fire: ${rules}\n`);
}

async function run(
  { flags, kinds, version }: JudgeOptions,
  url: URL,
  subject: Subject | undefined,
  {
    onRecordingLost: onLost,
    ...settings
  }: Pick<
    JudgeOverOptions,
    'ownRules' | 'waivers' | 'dropIdleWaiver' | 'signal' | 'spentMs' | 'keepEvidence'
  > & { readonly onRecordingLost: (error: Error) => void },
): Promise<Report> {
  const { SWAPCHECK_API_KEY } = process.env;
  const { concurrency = 8, timeout, chain, maxTime, maxBody, routerName, ...others } = flags;
  const { profile, only, level, seed, maxRequests, rate, tolerancePpm, frozen, bail, requireFork } =
    others;
  const maxBodyBytes = maxBody && maxBody * 2 ** 20;
  const reach = subject === undefined ? reachOf(flags) : {};
  const transport = createHttpTransport(url, {
    ...reach,
    connections: concurrency,
    ...given({ timeoutMs: timeout, maxBodyBytes }),
  });
  const target = url.href.replace(/\/$/, '');
  const apiKey = subject?.apiKey ?? flags.apiKey ?? SWAPCHECK_API_KEY;
  const redactor = createRedactor(apiKey, ...secretsOf(reach.headers));
  const recordings = (flags.record ?? []).map((path) =>
    openRecording(path, { baseUrl: target, redactor, version, onLost }),
  );
  const showProgress = await createProgress(process.stderr, () => performance.now(), process.env);
  const report = judgeOver(
    {
      ...settings,
      ...{
        only,
        level,
        seed,
        maxRequests,
        rate,
        tolerancePpm,
        frozen,
        bail,
        requireFork,
        profile,
        concurrency,
        kinds,
      },
      requests: flags.request,
      ...{ transport, reach, version, maxBodyBytes, routerNames: routerName, chains: chain },
      maxTimeMs: maxTime && maxTime * 1000,
      ...{ apiKey, target, forks: flags.fork ?? subject?.forks },
    },
    (event) => {
      if (event.type === 'exchange') for (const each of recordings) each.add(event.exchange);
      showProgress(event);
    },
  );
  return report.finally(() => {
    for (const recording of recordings) recording.close();
  });
}

async function publish(report: Report, flags: TestFlags): Promise<void> {
  const { report: requests, writeWaivers: waiverPath, verbose } = flags;
  const nothingSeen =
    report.verdict === 'incomplete' &&
    (report.replies === 0 || report.rules.some(({ why }) => why === report.reason));
  // Of a service that never answered, or refuses the key, there is one thing to say.
  if (nothingSeen) process.stderr.write(`${report.reason}\n`);
  await publishReports(report, nothingSeen ? withoutShownText(requests) : requests, {
    verdict: nothingSeen ? undefined : verdictLine(report),
    isBrief: !verbose,
  });
  if (waiverPath !== undefined) writeWaivers(waiverPath, report);
}
