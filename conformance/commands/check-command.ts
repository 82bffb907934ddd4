import { Command } from 'commander';
import { routerNameOption } from '../client/access-options.ts';
import { interruptible } from '../output/interruptible.ts';
import { reportOption } from '../output/report-formats.ts';
import { REPORT_FORMATS } from '../report/formats.ts';
import type { CheckFlags } from './check-captures.ts';
import {
  addSelectionOptions,
  rulesOption,
  toleranceOption,
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
    .addOption(toleranceOption())
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
