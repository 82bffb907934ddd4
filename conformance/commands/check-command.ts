import { Command } from 'commander';
import { routerNameOption } from '../client/access-options.ts';
import { interruptible } from '../output/interruptible.ts';
import { decimalNumber } from '../output/option-values.ts';
import { reportOption } from '../output/report-formats.ts';
import { REPORT_FORMATS } from '../report/formats.ts';
import type { CheckFlags } from './check-captures.ts';
import {
  addSelectionOptions,
  rulesOption,
  verboseOption,
  waiversOption,
} from './judging-options.ts';

/** Returns `swapcheck check`, which judges captured replies; no service is needed. */
export function createCheckCommand(): Command {
  const command = addSelectionOptions(
    new Command('check').argument(
      '<PATH...>',
      '.json, .ndjson or .har files, folders of such files, or - for standard input',
    ),
  )
    .option(
      '--tolerance-ppm <n>',
      'allow this imbalance at an intermediate token, in parts per million (default: 1)',
      decimalNumber('zero'),
    )
    .addOption(waiversOption())
    .addOption(rulesOption())
    .addOption(routerNameOption())
    .addOption(reportOption(REPORT_FORMATS))
    .addOption(verboseOption());
  return command.action(async (paths: readonly string[]) => {
    const { checkCaptures } = await import('./check-captures.ts');
    process.exitCode = await interruptible((signal) =>
      checkCaptures(paths, command.opts<CheckFlags>(), signal),
    );
  });
}
