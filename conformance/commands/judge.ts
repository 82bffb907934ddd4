import { openRecording } from '../captured/recording.ts';
import { readApiKey } from '../client/api-key.ts';
import { parseBaseUrl } from '../client/base-url.ts';
import type { ChainId } from '../client/chain-ids.ts';
import { packageVersion } from '../client/package-version.ts';
import { secretsOf } from '../client/reach.ts';
import { type ReachFlags, reachOf } from '../client/reach-options.ts';
import { createRedactor } from '../client/redaction.ts';
import { API_PREFIX } from '../contract/paths.ts';
import type { ForkSource, SettleOn } from '../execution/fork.ts';
import { catalogWith } from '../library/own-rules.ts';
import { type ConformanceOptions, runConformance } from '../library/run-conformance.ts';
import type { Report } from '../model/report.ts';
import type { Rule } from '../model/rule.ts';
import { interruptible } from '../output/interruptible.ts';
import { notify } from '../output/terminal.ts';
import { UsageError } from '../output/usage-error.ts';
import {
  publishReports,
  tryFile,
  tryReportPaths,
  withoutShownText,
} from '../output/write-reports.ts';
import { createProgress } from '../report/progress.ts';
import { verdictLine } from '../report/rule-results.ts';
import { selectRules, UnknownRuleError } from '../runner/select-rules.ts';
import { exitCodeOf } from '../runner/verdict.ts';
import type { Waiver } from '../runner/waivers.ts';
import { assertService, type ConfiguredService } from '../service/config-file.ts';
import { withOwnService } from '../service/own-service.ts';
import { waitForService } from '../service/wait-for-service.ts';
import type { CheckFlags } from './check-captures.ts';
import { checkForks } from './check-forks.ts';
import { createEvidenceFiles } from './evidence-files.ts';
import { readLastFailed } from './last-failed.ts';
import { readRules } from './rules-file.ts';
import { readWaivers, removeWaivers, writeWaivers } from './waiver-file.ts';

/** The options of `test` and `execute`, parsed. */
export type TestFlags = CheckFlags &
  ReachFlags &
  Pick<
    ConformanceOptions,
    'profile' | 'seed' | 'maxRequests' | 'rate' | 'concurrency' | 'frozen' | 'bail' | 'requireFork'
  > & {
    readonly apiKey?: string;
    readonly chain?: readonly ChainId[];
    /** Seconds. */
    readonly maxTime?: number;
    /** Milliseconds. */
    readonly timeout?: number;
    /** MiB. */
    readonly maxBody?: number;
    readonly writeWaivers?: string;
    readonly request?: readonly string[];
    readonly pruneWaivers?: boolean;
    readonly lastFailed?: string;
    /** Seconds. */
    readonly wait?: number;
    readonly config?: string | false;
    readonly fork?: readonly ForkSource[];
    readonly settleOn?: SettleOn;
    readonly record?: readonly string[];
  };

/** A service that is started to be judged. */
export type Subject = {
  readonly url: string;
  readonly apiKey: string;
  /** Nodes of the chains it serves. */
  readonly forks: readonly ForkSource[];
  readonly close: () => Promise<void>;
};

/** Starts the service that is judged if no BASE_URL is given. */
export type StartSubject = () => Promise<Subject>;

/** The service that a command judges, and the kinds of rules. */
export type Judged = ConfiguredService & {
  /** Kinds of rules that judge; if empty, all. */
  readonly kinds: readonly Rule['kind'][];
  readonly startSubject: StartSubject;
};

/**
 * Judges a service, writes the reports and returns the exit code. The first signal
 * ends the run early and the reports are still written; the second ends the process.
 *
 * @throws {UsageError} for options that contradict each other.
 */
export async function judge(
  { url: baseUrl, start, kinds, startSubject }: Judged,
  typed: TestFlags,
  isTyped: (flag: keyof TestFlags) => boolean,
): Promise<number> {
  const url = baseUrl === undefined ? undefined : parseBaseUrl(baseUrl);
  checkFlags(typed, url);
  const flags = withLastFailed(typed, isTyped);
  const rules = await readRules(flags.rules);
  checkSelection(flags, catalogWith(rules, kinds));
  const ruleIds = new Set(catalogWith(rules).map(({ id }) => id));
  const waivers = flags.waivers === undefined ? [] : readWaivers(flags.waivers, ruleIds);
  await tryReportPaths(flags.report);
  const { writeWaivers: path } = flags;
  if (path !== undefined) await tryFile(path, `--write-waivers ${path}`);
  let startedAt = performance.now();
  const forks = await checkForks({ baseUrl, flags, executesOnly: kinds.length > 0 });
  const options = { ...optionsOf(flags), rules, kinds, waivers };
  return interruptible(async (signal) => {
    if (url === undefined) {
      const subject = await startSubject();
      try {
        const about = 'No BASE_URL: the built-in reference service';
        notify(`${about} is judged, at ${subject.url}.`);
        const { apiKey } = subject;
        const service = { url: subject.url, name: 'the built-in reference' };
        const spentMs = performance.now() - startedAt;
        const { settleOn } = flags;
        const ownForks = subject.forks.map((each) => ({ ...each, settleOn }));
        const judged = await judgeOnce(
          { ...options, service, apiKey, forks: forks ?? ownForks, spentMs, signal },
          flags,
        );
        notify(`${about} was judged.`);
        return judged;
      } finally {
        await subject.close();
      }
    }
    const reach = reachOf(flags);
    const run = async (signal: AbortSignal) => {
      if (flags.wait !== undefined) {
        const wait = { ...reach, path: `${API_PREFIX}/chains`, seconds: flags.wait };
        const why = await waitForService(url, wait, signal);
        // The run itself reports that the service does not respond.
        if (why !== undefined) notify(why);
      }
      if (start !== undefined || flags.wait !== undefined) startedAt = performance.now();
      const apiKey = readApiKey(flags.apiKey ?? process.env['SWAPCHECK_API_KEY'] ?? '', notify);
      const service = { ...reach, service: { url: url.href }, apiKey, forks };
      const spentMs = performance.now() - startedAt;
      return judgeOnce({ ...options, ...service, spentMs, signal }, flags);
    };
    if (start === undefined) return run(signal);
    return withOwnService(url, { start, reach }, signal, run);
  });
}

function checkFlags(
  { waivers, pruneWaivers, wait, config }: TestFlags,
  service: URL | undefined,
): void {
  if (pruneWaivers && waivers === undefined) {
    throw new UsageError('--prune-waivers: --waivers FILE is required, too');
  }
  assertService(config, service);
  if (wait !== undefined && service === undefined) {
    throw new UsageError('--wait: a BASE_URL is required');
  }
}

/**
 * Adds the failures of `--last-failed`. The seed of its report and the selection of its rules yield
 * only to options of the command line.
 */
function withLastFailed(
  flags: TestFlags,
  isTyped: (flag: keyof TestFlags) => boolean,
): TestFlags & Pick<ConformanceOptions, 'repeat'> {
  const { lastFailed, only, seed } = flags;
  if (lastFailed === undefined) return flags;
  const repeat = readLastFailed(lastFailed);
  if (repeat === undefined) {
    notify(`Nothing failed in ${lastFailed}: the service is judged as usual.`);
    return flags;
  }
  return {
    ...flags,
    repeat,
    seed: isTyped('seed') ? seed : repeat.seed,
    only: isTyped('only') ? only : only && [...only, ...repeat.rules],
  };
}

/** Rejects a name that matches no rule before anything is started or a recording is overwritten. */
function checkSelection({ only, level }: TestFlags, rules: readonly Rule[]): void {
  try {
    selectRules(rules, { only, level });
  } catch (error) {
    throw error instanceof UnknownRuleError ? new UsageError(`--only: ${error.message}`) : error;
  }
}

/** Returns the settings of a run from the flags. */
function optionsOf(flags: TestFlags & Pick<ConformanceOptions, 'repeat'>) {
  const { profile, only, level, seed, maxRequests, rate, concurrency, tolerancePpm } = flags;
  const { frozen, bail, requireFork, chain, request, routerName, timeout } = flags;
  const { maxTime, maxBody, repeat } = flags;
  return {
    ...{ profile, only, level, seed, maxRequests, rate, concurrency, tolerancePpm },
    ...{
      frozen,
      bail,
      repeat,
      requireFork,
      chains: chain,
      requests: request,
      routerNames: routerName,
    },
    timeoutMs: timeout,
    maxTimeMs: maxTime && maxTime * 1000,
    maxBodyBytes: maxBody && maxBody * 2 ** 20,
  };
}

/** Judges a service that is ready, and writes all files. */
async function judgeOnce(
  options: ConformanceOptions & {
    readonly service: { readonly url: string; readonly name?: string };
  },
  flags: TestFlags,
): Promise<number> {
  const { apiKey, service, waivers = [] } = options;
  const idle = new Set<Waiver>();
  const lost: Error[] = [];
  const files = createEvidenceFiles(flags.report);
  const recordings = (flags.record ?? []).map((path) =>
    openRecording(path, {
      baseUrl: service.url.replace(/\/$/, ''),
      redactor: createRedactor(apiKey, ...secretsOf(options)),
      version: packageVersion(),
      onLost: (error) => void lost.push(error),
    }),
  );
  const showProgress = await createProgress(process.stderr, () => performance.now(), process.env);
  const report = await runConformance(
    {
      ...options,
      ...(flags.pruneWaivers && { dropIdleWaiver: (waiver: Waiver) => void idle.add(waiver) }),
      saveEvidence: files.save,
    },
    (event) => {
      if (event.type === 'exchange') for (const each of recordings) each.add(event.exchange);
      showProgress(event);
    },
  ).finally(() => {
    for (const recording of recordings) recording.close();
  });
  await files.write();
  await publish(report, flags);
  if (idle.size > 0) prune(flags.waivers ?? '', waivers, idle);
  for (const error of lost) throw error;
  return exitCodeOf(report);
}

function prune(path: string, waivers: readonly Waiver[], idle: ReadonlySet<Waiver>): void {
  const places = [...waivers.keys()].filter((place) => idle.has(waivers[place] as Waiver));
  removeWaivers(path, places);
  const rules = [...idle].map(({ rule }) => rule).join(', ');
  notify(`${path}: removed ${idle.size} that no longer match a failure: ${rules}`);
}

async function publish(report: Report, flags: TestFlags): Promise<void> {
  const { report: requests, writeWaivers: waiverPath, verbose } = flags;
  const nothingSeen =
    report.verdict === 'incomplete' &&
    (report.replies === 0 || report.rules.some(({ why }) => why === report.reason));
  // If the service never replied, or rejects the key, one line is enough.
  if (nothingSeen) notify(report.reason);
  await publishReports(report, nothingSeen ? withoutShownText(requests) : requests, {
    verdict: nothingSeen ? undefined : verdictLine(report),
    isBrief: !verbose,
  });
  if (waiverPath !== undefined) writeWaivers(waiverPath, report);
}
