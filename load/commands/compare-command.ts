import { Command } from 'commander';
import { parseBaseUrl } from '../../conformance/client/base-url.ts';
import {
  asArgument,
  repeated,
  reportIn,
  wholeNumber,
} from '../../conformance/output/option-values.ts';
import { publishReport, TEXT_ALONE } from '../../conformance/output/publish-report.ts';
import { UsageError } from '../../conformance/output/usage-error.ts';
import { ReportWriteError } from '../../conformance/output/write-reports.ts';
import { NotAReportError } from '../../conformance/report/read-report.ts';
import { compareFiles } from '../compare/compare-files.ts';
import { compareInterleaved } from '../compare/compare-interleaved.ts';
import {
  DEFAULT_FAIL_IF,
  type FailIf,
  InvalidFailIfError,
  parseFailIf,
} from '../compare/fail-if.ts';
import {
  COMPARISON_FORMATS,
  type Comparison,
  type ComparisonReportRequest,
} from '../compare/formats.ts';
import { NotALoadResultError } from '../compare/read-load-result.ts';
import type { LoadDeps } from '../play/one-load.ts';
import { exitCodeOf } from './load-run.ts';
import { apiKeyOf, type ProfileFlags, resolveProfile, withProfileFlags } from './profile-flags.ts';

type Flags = ProfileFlags & {
  readonly failIf?: readonly FailIf[];
  readonly interleave?: number;
  readonly report?: readonly ComparisonReportRequest[];
};

/**
 * Returns the command `swapcheck compare`. Exits 1 on a regression beyond the
 * bounds or a rule that newly fails, else 0; 2 when it was used wrongly, 3 when
 * there is no telling.
 */
export function createCompareCommand(deps: LoadDeps): Command {
  const command = new Command('compare')
    .description('compare two load results or two conformance reports, or two services in turns')
    .argument('<base>', 'a JSON report; with --interleave, a base URL')
    .argument('<head>', 'what is compared with it')
    .option(
      '--fail-if <bound>',
      "such as 'p99>10%' or 'swap:errors>0.5%', repeatable (default: p99>10%, errors>1%)",
      repeated(parseBound),
    )
    .option(
      '--report <format[=path]>',
      'repeatable: text, json or markdown',
      repeated(reportIn(COMPARISON_FORMATS)),
    )
    .option(
      '--interleave <rounds>',
      'load two services in turns, so many rounds of the profile',
      // One round tells no noise.
      wholeNumber(2, 10_000),
    );
  withProfileFlags(command.optionsGroup('With --interleave:'));
  return command.action(async (base: string, head: string, flags: Flags) => {
    const comparison =
      flags.interleave === undefined
        ? compareTwoFiles(base, head, flags, command)
        : await compareInterleaved(
            {
              rounds: flags.interleave,
              base: parseBaseUrl(base),
              head: parseBaseUrl(head),
              profile: resolveProfile(flags),
              seed: flags.seed,
              chains: flags.chain ?? [],
              apiKey: apiKeyOf(flags) ?? '',
              bounds: flags.failIf ?? DEFAULT_FAIL_IF,
            },
            deps,
          );
    try {
      await publishReport(comparison, flags.report ?? TEXT_ALONE, COMPARISON_FORMATS);
      process.exitCode = exitCodeOf(comparison);
    } catch (error) {
      if (error instanceof ReportWriteError) throw new UsageError(error.message, { cause: error });
      throw error;
    }
  });
}

function compareTwoFiles(base: string, head: string, flags: Flags, command: Command): Comparison {
  const stray = command.options.find(
    (option) =>
      option.helpGroupHeading !== undefined &&
      command.getOptionValueSource(option.attributeName()) === 'cli',
  );
  if (stray !== undefined) {
    throw new UsageError(
      `${stray.long} goes with --interleave: two files are compared as they are`,
    );
  }
  try {
    return compareFiles(base, head, flags.failIf);
  } catch (error) {
    if (error instanceof NotAReportError || error instanceof NotALoadResultError) {
      throw new UsageError(error.message, { cause: error });
    }
    throw error;
  }
}

function parseBound(text: string): FailIf {
  return asArgument(InvalidFailIfError, () => parseFailIf(text));
}
