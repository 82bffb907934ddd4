import { Command } from 'commander';
import { routerNameOption } from '../client/router-name-option.ts';
import type { RouterNames } from '../client/router-names.ts';
import type { Report } from '../model/report.ts';
import { interruptible } from '../output/interruptible.ts';
import { decimalNumber, repeated } from '../output/option-values.ts';
import { type ReportRequest, reportOption } from '../output/report-formats.ts';
import { REPORT_FORMATS } from '../report/formats.ts';
import type { RunOptions } from '../runner/run-options.ts';
import { verboseOption, withSelection } from './selection-options.ts';

export type CheckFlags = Pick<RunOptions, 'only' | 'level' | 'tolerancePpm'> & {
  readonly waivers?: string;
  readonly rules?: readonly string[];
  readonly verbose?: boolean;
  readonly routerName?: RouterNames;
  readonly report: readonly ReportRequest<Report>[];
};

/** Returns `swapcheck check`, which judges captured replies; no service is needed. */
export function createCheckCommand(version: string): Command {
  const command = withSelection(
    new Command('check').argument(
      '<PATH...>',
      '.json, .ndjson or .har files, folders of them, or - for standard input',
    ),
  )
    .option(
      '--tolerance-ppm <n>',
      'imbalance allowed at an intermediate token (default: 1)',
      decimalNumber('zero'),
    )
    .option('--waivers <file>', 'known failures, each with a reason and a date')
    .option('--rules <file>', 'judge by rules of your own too, repeatable', repeated(String))
    .addOption(routerNameOption())
    .addOption(reportOption(REPORT_FORMATS))
    .addOption(verboseOption());
  return command.action(async (paths: readonly string[]) => {
    const { checkCaptures } = await import('./check-captures.ts');
    process.exitCode = await interruptible((signal) =>
      checkCaptures(paths, command.opts<CheckFlags>(), version, signal),
    );
  });
}
