import { openRecording } from '../captured/recording.ts';
import { readApiKey } from '../client/api-key.ts';
import { parseBaseUrl } from '../client/base-url.ts';
import { secretsOf } from '../client/reach.ts';
import { createRedactor } from '../client/redaction.ts';
import { API_PREFIX } from '../contract/paths.ts';
import { runConformance } from '../library/run-conformance.ts';
import type { Report } from '../model/report.ts';
import type { Rule } from '../model/rule.ts';
import { interruptible } from '../output/interruptible.ts';
import { notify } from '../output/terminal.ts';
import { UsageError } from '../output/usage-error.ts';
import { publishReports, withoutShownText } from '../output/write-reports.ts';
import { createProgress } from '../report/progress.ts';
import { verdictLine } from '../report/rule-results.ts';
import { exitCodeOf } from '../runner/verdict.ts';
import type { WaivedPlace, Waiver } from '../runner/waivers.ts';
import type { ConfiguredService, ServiceStart } from '../service/config-file.ts';
import type { ForkSource } from '../service/fork-option.ts';
import { withOwnService } from '../service/own-service.ts';
import { waitForService } from '../service/wait-for-service.ts';
import { createEvidenceFiles } from './evidence-files.ts';
import { type JudgeSettings, readSettings, repeatOf, type TestFlags } from './judge-settings.ts';
import { removeWaivers, writeWaivers } from './waiver-file.ts';
import { FILES_CHANGED } from './watch-runs.ts';

/** A service that the command starts in order to judge it. */
export type Subject = {
  readonly url: string;
  readonly apiKey: string;
  /** Nodes of the chains that the service supports. */
  readonly forks: readonly ForkSource[];
  /** Aborts if the service ends by itself. The reason is a text. */
  readonly ended?: AbortSignal;
  readonly close: () => Promise<void>;
};

/** Starts the built-in service, which is judged if no BASE_URL is given. */
export type StartSubject = () => Promise<Subject>;

/** The service to judge, and the kinds of rules to apply. */
export type Judged = ConfiguredService & {
  /** Kinds of rules to apply. If empty, all kinds apply. */
  readonly kinds: readonly Rule['kind'][];
  readonly startSubject: StartSubject;
};

/**
 * Judges a service, writes the reports and returns the exit code. The first signal ends the run
 * early but still writes the reports. The second signal ends the process.
 *
 * @throws {UsageError} for options that contradict each other.
 */
export async function judge(
  { url: baseUrl, start, kinds, startSubject }: Judged,
  flags: TestFlags,
  isTyped: (flag: keyof TestFlags) => boolean,
): Promise<number> {
  const url = baseUrl === undefined ? undefined : parseBaseUrl(baseUrl);
  const settings = await readSettings(url, kinds, flags, isTyped);
  if (flags.watch && (url === undefined || start === undefined)) {
    throw new UsageError(
      "--watch starts the service itself: set url: and start: in swapcheck.yaml, and pass no other service's BASE_URL",
    );
  }
  return interruptible(async (signal) => {
    if (url === undefined) return judgeBuiltIn({ ...settings, signal }, startSubject);
    if (start === undefined) {
      return exitCodeOf(await judgeReady(await whenReady(url, { ...settings, signal })));
    }
    if (!flags.watch) return (await judgeOwn(url, start, { ...settings, signal })).code;
    const { watchRuns } = await import('./watch-runs.ts');
    const outputs = [...flags.report.map(({ path }) => path), ...(flags.record ?? []), start.log];
    const { code } = await watchRuns<RunResult>({
      ...{ folder: '.', outputs, signal, notify },
      run: (either, last) => {
        const repeat = (last?.report && repeatOf(last.report)) ?? settings.repeat;
        return judgeOwn(url, start, { ...settings, signal: either, repeat });
      },
    });
    return code;
  });
}

type RunResult = { readonly code: number; readonly report?: Report | undefined };

/**
 * Starts the user's service, judges it and stops it. If the service does not start, the report
 * states the reason.
 */
async function judgeOwn(
  url: URL,
  start: ServiceStart,
  settings: Interruptible,
): Promise<RunResult> {
  let report: Report | undefined;
  const code = await withOwnService(
    url,
    { start, reach: settings },
    settings.signal,
    async (signal) => {
      const startedAt = performance.now();
      report = await judgeReady(await whenReady(url, { ...settings, signal, startedAt }));
      return exitCodeOf(report);
    },
    async (obstacle) => {
      const service = { url: url.href };
      report = await judgeReady({ ...settings, service, apiKey: '', obstacle });
      return exitCodeOf(report);
    },
  );
  return { code, report };
}

type Interruptible = JudgeSettings & { readonly signal: AbortSignal };

type ReadyService = Interruptible & {
  readonly service: { readonly url: string; readonly name?: string };
  readonly apiKey: string;
};

async function judgeBuiltIn(settings: Interruptible, startSubject: StartSubject): Promise<number> {
  const { url, apiKey, forks, close, ended } = await startSubject();
  try {
    notify(`No BASE_URL: judging ${BUILT_IN} at ${url}.`);
    const service = { url, name: 'the built-in reference' };
    const { settleOn } = settings;
    const own = forks.map((each) => ({ ...each, settleOn }));
    const signal =
      ended === undefined ? settings.signal : AbortSignal.any([settings.signal, ended]);
    const subject = { forks: settings.forks ?? own, service, apiKey, signal };
    const report = await judgeReady({ ...settings, ...subject });
    notify(`No BASE_URL: judged ${BUILT_IN}.`);
    return exitCodeOf(report);
  } finally {
    await close();
  }
}

const BUILT_IN = 'the built-in reference service';

async function whenReady(
  url: URL,
  { startedAt, ...settings }: Interruptible,
): Promise<ReadyService> {
  const { wait: seconds, signal } = settings;
  if (seconds !== undefined) {
    const path = `${API_PREFIX}/chains`;
    const why = await waitForService(url, { ...settings, path, seconds }, signal);
    // The run itself will report that the service does not respond.
    if (why !== undefined) notify(why);
  }
  const apiKey = readApiKey(settings.apiKey ?? process.env['SWAPCHECK_API_KEY'] ?? '', notify);
  const begin = seconds === undefined ? startedAt : performance.now();
  return { ...settings, service: { url: url.href }, apiKey, startedAt: begin };
}

async function judgeReady(options: ReadyService): Promise<Report> {
  const { apiKey, service, waivers = [], startedAt } = options;
  const idle = new Set<Waiver>();
  const failed = new Map<string, WaivedPlace>();
  const lost: Error[] = [];
  const files = createEvidenceFiles(options.report);
  const recordings = (options.record ?? []).map((path) =>
    openRecording(path, {
      baseUrl: service.url.replace(/\/$/, ''),
      redactor: createRedactor(apiKey, ...secretsOf(options)),
      onLost: (error) => void lost.push(error),
    }),
  );
  const showProgress = await createProgress(process.stderr, () => performance.now(), process.env);
  const report = await runConformance(
    {
      ...options,
      ...(options.pruneWaivers && { dropIdleWaiver: (waiver: Waiver) => void idle.add(waiver) }),
      ...(options.writeWaivers !== undefined && {
        recordFailure: (place: WaivedPlace) => void failed.set(JSON.stringify(place), place),
      }),
      saveEvidence: files.save,
      spentMs: performance.now() - startedAt,
    },
    (event) => {
      if (event.type === 'exchange') for (const each of recordings) each.add(event.exchange);
      showProgress(event);
    },
  ).finally(() => {
    for (const recording of recordings) recording.close();
  });
  // The next run will replace this report.
  if (options.signal.reason === FILES_CHANGED) return report;
  await files.write();
  await publish(report, options);
  if (options.writeWaivers !== undefined) {
    await writeWaivers(options.writeWaivers, report, [...failed.values()]);
  }
  if (idle.size > 0) await prune(options.waiverFile ?? '', waivers, idle);
  for (const error of lost) throw error;
  return report;
}

async function prune(
  path: string,
  waivers: readonly Waiver[],
  idle: ReadonlySet<Waiver>,
): Promise<void> {
  const places = [...waivers.keys()].filter((place) => idle.has(waivers[place] as Waiver));
  await removeWaivers(path, places);
  const rules = [...idle].map(({ rule }) => rule).join(', ');
  notify(`${path}: removed waivers that no longer match a failure: ${rules}`);
}

async function publish(
  report: Report,
  flags: Pick<TestFlags, 'report' | 'verbose'>,
): Promise<void> {
  const { report: requests, verbose } = flags;
  const nothingSeen =
    report.verdict === 'incomplete' &&
    (report.replies === 0 || report.rules.some(({ why }) => why === report.reason));
  // One line is enough if the service never replied, or if it rejects the key.
  if (nothingSeen) notify(report.reason);
  await publishReports(report, nothingSeen ? withoutShownText(requests) : requests, {
    verdict: nothingSeen ? undefined : verdictLine(report),
    isBrief: !verbose,
  });
}
