import { findCaptures } from '../captured/find-captures.ts';
import { judgeCaptured } from '../captured/judge-captured.ts';
import { CaptureError, readCapture } from '../captured/read-capture.ts';
import { createStandardInput, type StandardInput } from '../captured/standard-input.ts';
import type { Access } from '../client/client.ts';
import type { Exchange } from '../client/exchange.ts';
import { catalogWith } from '../library/own-rules.ts';
import type { Report } from '../model/report.ts';
import type { ReportRequest } from '../output/report-formats.ts';
import { UsageError } from '../output/usage-error.ts';
import { publishReports, tryReportPaths } from '../output/write-reports.ts';
import { verdictLine } from '../report/rule-results.ts';
import type { JudgingSettings } from '../runner/run-options.ts';
import { exitCodeOf } from '../runner/verdict.ts';
import { checkSelection, readRules } from './rules-file.ts';
import { readWaivers } from './waiver-file.ts';

/** The parsed options of `check`. */
export type CheckFlags = Pick<JudgingSettings, 'only' | 'level' | 'tolerancePpm'> &
  Pick<Access, 'routerNames'> & {
    readonly waiverFile?: string;
    readonly ruleFiles?: readonly string[];
    readonly verbose?: boolean;
    readonly report: readonly ReportRequest<Report>[];
  };

/**
 * Judges captured replies from files, writes the reports and returns the exit code. When the signal
 * aborts, judging ends early.
 *
 * @throws {UsageError} naming the file that cannot be read, or rules or waivers that do not exist.
 */
export async function checkCaptures(
  paths: readonly string[],
  flags: CheckFlags,
  signal: AbortSignal,
): Promise<number> {
  const { only, level, tolerancePpm, waiverFile, routerNames } = flags;
  const apiKeys = new Set<string>();
  const standardInput = createStandardInput(signal);
  await tryReportPaths(flags.report);
  const rules = catalogWith(await readRules(flags.ruleFiles));
  checkSelection(flags, rules);
  const ruleIds = new Set(rules.map(({ id }) => id));
  try {
    const report = await judgeCaptured(() => readAll(paths, apiKeys, standardInput), {
      ...{ apiKeys, signal, rules, routerNames, only, level, tolerancePpm },
      target: paths.join(' '),
      waivers: waiverFile === undefined ? [] : readWaivers(waiverFile, ruleIds),
    });
    await publishReports(report, flags.report, {
      verdict: verdictLine(report),
      isBrief: !flags.verbose,
    });
    return exitCodeOf(report);
  } catch (error) {
    if (error instanceof CaptureError) throw new UsageError(error.message, { cause: error });
    throw error;
  } finally {
    standardInput.close();
  }
}

async function* readAll(
  paths: readonly string[],
  apiKeys: Set<string>,
  standardInput: StandardInput,
): AsyncGenerator<Exchange> {
  for await (const source of findCaptures(paths, standardInput)) {
    yield* readCapture(source, apiKeys);
  }
}
