import { parseBaseUrl } from '../client/base-url.ts';
import { createClient, NO_API_KEY } from '../client/client.ts';
import { createHttpTransport } from '../client/http-transport.ts';
import type { OpenExecutor } from '../model/executor.ts';
import type { Report } from '../model/report.ts';
import type { Rule } from '../model/rule.ts';
import { interruptible } from '../output/interruptible.ts';
import { given } from '../output/option-values.ts';
import { UsageError } from '../output/usage-error.ts';
import { publishReports, tryReportPaths, withoutShownText } from '../output/write-reports.ts';
import { createProgress } from '../report/progress.ts';
import { verdictLine } from '../report/rule-results.ts';
import { CATALOG, CATALOG_MODULE } from '../rules/catalog.ts';
import { runConformance } from '../runner/run.ts';
import type { RunOptions } from '../runner/run-options.ts';
import { UnknownRuleError } from '../runner/select-rules.ts';
import { exitCodeOf } from '../runner/verdict.ts';
import { checkForks } from './check-forks.ts';
import { createEvidenceFiles } from './evidence-files.ts';
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
  const rules = CATALOG.filter(({ kind }) => kinds.length === 0 || kinds.includes(kind));
  const ruleIds = new Set(CATALOG.map(({ id }) => id));
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
        ...{ rules, waivers, signal, spentMs },
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

/** Fewer of a body's bytes stand for a value in no plan and no list of tokens. */
const BYTES_A_VALUE = 8;

async function run(
  { flags, version }: JudgeOptions,
  url: URL,
  subject: Subject | undefined,
  settings: Pick<RunOptions, 'rules' | 'waivers' | 'signal' | 'spentMs' | 'keepEvidence'>,
): Promise<Report> {
  const { SWAPCHECK_API_KEY } = process.env;
  const { concurrency = 8, timeout, chain, maxTime, maxBody, routerName, ...others } = flags;
  const { only, level, seed, maxRequests, rate, tolerancePpm, frozen } = others;
  const apiKey = subject?.apiKey ?? flags.apiKey ?? SWAPCHECK_API_KEY ?? '';
  const client = createClient({
    apiKey,
    routerNames: routerName,
    maxValues: maxBody && (maxBody * 2 ** 20) / BYTES_A_VALUE,
    transport: createHttpTransport(url, {
      connections: concurrency,
      ...given({ timeoutMs: timeout, maxBodyBytes: maxBody && maxBody * 2 ** 20 }),
    }),
  });
  const forks = flags.fork ?? subject?.forks ?? [];
  const openExecutor: OpenExecutor = async (service) =>
    (await import('../execution/executor.ts')).createExecutor({ forks }, service);
  try {
    return await runConformance(
      {
        ...settings,
        ...given({ only, level, seed, maxRequests, rate, tolerancePpm, frozen, chains: chain }),
        ...given({ maxTimeMs: maxTime === undefined ? undefined : maxTime * 1000 }),
        client,
        thread: { catalog: CATALOG_MODULE, routerNames: routerName },
        ...(apiKey === '' && { hindrance: NO_API_KEY }),
        target: url.href.replace(/\/$/, ''),
        version,
        concurrency,
        ...(forks.length === 0 ? {} : { openExecutor }),
      },
      createProgress(process.stderr, () => performance.now(), process.env),
    );
  } finally {
    await client.close();
  }
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
