import { Command } from 'commander';
import { parseBaseUrl } from '../../conformance/client/base-url.ts';
import {
  decimalNumber,
  inUnits,
  repeated,
  wholeNumber,
} from '../../conformance/output/option-values.ts';
import { type ReportRequest, reportOption } from '../../conformance/output/report-formats.ts';
import { UsageError } from '../../conformance/output/usage-error.ts';
import { publishReports, tryReportPaths } from '../../conformance/output/write-reports.ts';
import { DEFAULT_BOUNDS, parseRegressionBound, type RegressionBound } from '../compare/change.ts';
import type { CompareReports } from '../compare/compare-files.ts';
import { COMPARISON_FORMATS, type Comparison } from '../compare/formats.ts';
import type { LoadDeps } from '../run/service-load.ts';
import { type ProfileFlags, settingsOf, withProfileFlags } from './profile-flags.ts';
import { exitCodeOf } from './subject.ts';

type Flags = ProfileFlags & {
  readonly failIf?: readonly RegressionBound[];
  readonly interleave?: number;
  readonly maxTimeMs?: number;
  readonly report: readonly ReportRequest<Comparison>[];
};

type CompareDeps = LoadDeps & { readonly compareReports: CompareReports };

/**
 * Returns the command `swapcheck compare`. Exits 1 on a regression beyond the bounds or a newly
 * failing rule, 2 on wrong usage, 3 if there is no decision, else 0.
 */
export function createCompareCommand(deps: CompareDeps): Command {
  const command = new Command('compare')
    .argument('<base>', 'a JSON report; with --interleave, a base URL')
    .argument('<head>', 'the report or URL to compare with the base')
    .option(
      '--fail-if <bound>',
      "such as 'p99>10%' or 'swap:errors>0.5%', repeatable (default: p99>10%, errors>1%)",
      repeated(parseRegressionBound),
    )
    .addOption(reportOption(COMPARISON_FORMATS))
    .option(
      '--interleave <rounds>',
      'run the profile against both services in turns for this many rounds; rounds are added until every bound is decided',
      // Two rounds at least, because a single round does not show the noise.
      wholeNumber(2, 10_000),
    );
  withProfileFlags(command.optionsGroup('With --interleave:')).option(
    '--max-time <s>',
    'stop after this many seconds (default: 600, but not before the requested rounds are complete)',
    inUnits(decimalNumber('more'), 1000),
  );
  return command.action(async (base: string, head: string, flags: Flags) => {
    const { interleave: rounds } = flags;
    await tryReportPaths(flags.report);
    const comparison =
      rounds === undefined
        ? await compareTwoFiles([base, head], flags, deps, command)
        : await compareServices([base, head], rounds, flags, deps);
    const { verdict, reason } = comparison;
    await publishReports(comparison, flags.report, {
      verdict: `${verdict.toUpperCase()}: ${reason}`,
    });
    process.exitCode = exitCodeOf(comparison);
  });
}

type Pair = readonly [base: string, head: string];

async function compareTwoFiles(
  [base, head]: Pair,
  { failIf }: Flags,
  { compareReports }: CompareDeps,
  command: Command,
): Promise<Comparison> {
  const stray = command.options.find(
    (option) =>
      option.helpGroupHeading !== undefined &&
      command.getOptionValueSource(option.attributeName()) === 'cli',
  );
  if (stray !== undefined) {
    throw new UsageError(`${stray.long} requires --interleave: it does not apply to two files`);
  }
  const url = [base, head].find((path) => /^https?:/i.test(path));
  if (url !== undefined) {
    throw new UsageError(`'${url}' is a URL: pass --interleave ROUNDS to compare two services`);
  }
  const { compareFiles } = await import('../compare/compare-files.ts');
  return compareFiles(base, head, failIf, compareReports);
}

async function compareServices(
  [base, head]: Pair,
  rounds: number,
  flags: Flags,
  deps: LoadDeps,
): Promise<Comparison> {
  const urls = { base: parseBaseUrl(base), head: parseBaseUrl(head) };
  const [{ compareInterleaved }, { reportable }] = await Promise.all([
    import('../compare/compare-interleaved.ts'),
    import('../compare/comparison-document.ts'),
  ]);
  const comparison = await compareInterleaved(
    {
      ...{ ...urls, ...(await settingsOf(flags)), rounds },
      bounds: flags.failIf ?? DEFAULT_BOUNDS,
      maxTimeMs: flags.maxTimeMs,
    },
    deps,
  );
  return reportable(comparison);
}
