import { findCaptures } from '../captured/find-captures.ts';
import { judgeCaptured } from '../captured/judge-captured.ts';
import { CaptureError, readCapture } from '../captured/read-capture.ts';
import type { Exchange } from '../client/exchange.ts';
import { inOurNames, type RouterNames } from '../client/router-names.ts';
import { given } from '../output/option-values.ts';
import { UsageError } from '../output/usage-error.ts';
import { publishReports, tryReportPaths } from '../output/write-reports.ts';
import { verdictLine } from '../report/rule-results.ts';
import { CATALOG, CATALOG_MODULE } from '../rules/catalog.ts';
import { UnknownRuleError } from '../runner/select-rules.ts';
import { exitCodeOf } from '../runner/verdict.ts';
import type { CheckFlags } from './check-command.ts';
import { readWaivers } from './waiver-file.ts';

/**
 * Judges the replies in files and returns the exit code; the signal ends it early, reports and all.
 *
 * @throws {UsageError} naming the file that cannot be read.
 */
export async function checkCaptures(
  paths: readonly string[],
  flags: CheckFlags,
  version: string,
  signal: AbortSignal,
): Promise<number> {
  const { only, level, tolerancePpm, waivers } = flags;
  const ruleIds = new Set(CATALOG.map(({ id }) => id));
  const apiKeys = new Set<string>();
  await tryReportPaths(flags.report);
  try {
    const report = await judgeCaptured(readAll(paths, apiKeys, flags.routerName ?? {}, signal), {
      rules: CATALOG,
      apiKeys,
      signal,
      thread: { catalog: CATALOG_MODULE, routerNames: flags.routerName },
      target: paths.join(' '),
      version,
      ...given({ only, level, tolerancePpm }),
      waivers: waivers === undefined ? [] : readWaivers(waivers, ruleIds),
    });
    await publishReports(report, flags.report, {
      verdict: verdictLine(report),
      isBrief: !flags.verbose,
    });
    return exitCodeOf(report);
  } catch (error) {
    if (error instanceof CaptureError) throw new UsageError(error.message, { cause: error });
    throw error instanceof UnknownRuleError ? new UsageError(`--only: ${error.message}`) : error;
  }
}

async function* readAll(
  paths: readonly string[],
  apiKeys: Set<string>,
  routerNames: RouterNames,
  signal: AbortSignal,
): AsyncGenerator<Exchange> {
  for await (const source of findCaptures(paths, signal)) {
    for (const exchange of readCapture(source, apiKeys)) yield inOurNames(exchange, routerNames);
  }
}
