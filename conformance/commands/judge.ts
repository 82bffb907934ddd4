import { parseBaseUrl } from '../client/base-url.ts';
import { createHttpTransport } from '../client/http-transport.ts';
import { type JudgeOverOptions, judgeOver } from '../library/judge-over.ts';
import type { Report } from '../model/report.ts';
import type { Rule } from '../model/rule.ts';
import { interruptible } from '../output/interruptible.ts';
import { given } from '../output/option-values.ts';
import { UsageError } from '../output/usage-error.ts';
import { publishReports, tryReportPaths, withoutShownText } from '../output/write-reports.ts';
import { createProgress } from '../report/progress.ts';
import { verdictLine } from '../report/rule-results.ts';
import { CATALOG } from '../rules/catalog.ts';
import { UnknownRuleError } from '../runner/select-rules.ts';
import { exitCodeOf } from '../runner/verdict.ts';
import { checkForks } from './check-forks.ts';
import { createEvidenceFiles } from './evidence-files.ts';
import { readRules } from './rules-file.ts';
import type { StartSubject, Subject } from './subject.ts';
import type { TestFlags } from './test-command.ts';
import { readWaivers, writeWaivers } from './waiver-file.ts';

export type JudgeOptions = {
  readonly baseUrl: string | undefined;
  readonly flags: TestFlags;
  /** Kinds of rules that judge; empty, all. */
  readonly kinds: readonly Rule['kind'][];
  readonly version: string;
  readonly startSubject: StartSubject;
};

/**
 * Judges a service, writes the reports and returns the exit code. SIGINT or
 * SIGTERM ends the run early, reports and all; the second ends the process with
 * 130 or 143.
 *
 * @throws {UsageError} for options that do not fit.
 */
export async function judge(options: JudgeOptions): Promise<number> {
  const { baseUrl, flags, kinds } = options;
  const ownRules = await readRules(flags.rules);
  const ruleIds = new Set([...CATALOG, ...ownRules].map(({ id }) => id));
  const waivers = flags.waivers === undefined ? [] : readWaivers(flags.waivers, ruleIds);
  const service = baseUrl === undefined ? undefined : parseBaseUrl(baseUrl);
  await tryReportPaths(flags.report);
  const startedAt = performance.now();
  const fork = await checkForks({ baseUrl, flags, executesOnly: kinds.length > 0 });
  const judged = { ...options, flags: { ...flags, ...given({ fork }) } };
  const files = createEvidenceFiles(flags.report);
  return interruptible(async (signal) => {
    const subject = service === undefined ? await options.startSubject() : undefined;
    const spentMs = performance.now() - startedAt;
    try {
      const url = service ?? new URL(subject?.url ?? '');
      const report = await run(judged, url, subject, {
        ...{ ownRules, waivers, signal, spentMs },
        keepEvidence: files.keep,
      });
      await files.write();
      await publish(report, flags);
      return exitCodeOf(report);
    } catch (error) {
      throw error instanceof UnknownRuleError ? new UsageError(`--only: ${error.message}`) : error;
    } finally {
      await subject?.close();
    }
  });
}

async function run(
  { flags, kinds, version }: JudgeOptions,
  url: URL,
  subject: Subject | undefined,
  settings: Pick<JudgeOverOptions, 'ownRules' | 'waivers' | 'signal' | 'spentMs' | 'keepEvidence'>,
): Promise<Report> {
  const { SWAPCHECK_API_KEY } = process.env;
  const { concurrency = 8, timeout, chain, maxTime, maxBody, routerName, ...others } = flags;
  const { only, level, seed, maxRequests, rate, tolerancePpm, frozen } = others;
  const maxBodyBytes = maxBody && maxBody * 2 ** 20;
  const transport = createHttpTransport(url, {
    connections: concurrency,
    ...given({ timeoutMs: timeout, maxBodyBytes }),
  });
  return judgeOver(
    {
      ...settings,
      ...{ only, level, seed, maxRequests, rate, tolerancePpm, frozen, concurrency, kinds },
      requests: flags.request,
      ...{ transport, version, maxBodyBytes, routerNames: routerName, chains: chain },
      maxTimeMs: maxTime && maxTime * 1000,
      apiKey: subject?.apiKey ?? flags.apiKey ?? SWAPCHECK_API_KEY,
      forks: flags.fork ?? subject?.forks,
      target: url.href.replace(/\/$/, ''),
    },
    createProgress(process.stderr, () => performance.now(), process.env),
  );
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
