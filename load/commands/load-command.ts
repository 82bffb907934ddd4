import { Command, Option } from 'commander';
import { parseBaseUrl } from '../../conformance/client/base-url.ts';
import { didYouMean } from '../../conformance/output/nearest.ts';
import { decimalNumber, inUnits, wholeNumber } from '../../conformance/output/option-values.ts';
import { reportOption } from '../../conformance/output/report-formats.ts';
import { withConfigOptions } from '../../conformance/service/config-options.ts';
import { LOAD_FORMATS } from '../report/formats.ts';
import { createExportCommand } from './export-command.ts';
import type { LoadFlags } from './load-run.ts';
import { createMergeCommand } from './merge-command.ts';
import { configuredTarget, settingsOf, withProfileFlags } from './profile-flags.ts';
import type { LoadCommandDeps } from './subject.ts';

/**
 * Returns the command `swapcheck load` with its subcommands `export` and `merge`. Exits 0 if every
 * threshold held, 1 if one was crossed, 2 on wrong usage, 3 if the run is incomplete or invalid.
 */
export function createLoadCommand(deps: LoadCommandDeps): Command {
  const command = new Command('load')
    .argument(
      '[BASE_URL]',
      'base URL of the service (default: the reference, in a separate process)',
    )
    .addCommand(createExportCommand(deps))
    .addCommand(createMergeCommand());
  withConfigOptions(withProfileFlags(command))
    .addOption(reportOption(LOAD_FORMATS))
    .option(
      '--metrics <port>',
      'serve Prometheus metrics on this loopback port (0: a free port)',
      wholeNumber(0, 65_535),
    )
    .option(
      '--live [port]',
      'serve a page that shows the run, on this loopback port (default: a free port)',
      wholeNumber(0, 65_535),
    )
    .option(
      '--max-time <s>',
      'end the run early after this many seconds, including discovery (default: run the whole profile)',
      inUnits(decimalNumber('more'), 1000),
    )
    .addOption(
      new Option('--judge <which>', 'replies to judge: about a hundred a second, or all of them')
        .choices(['sample', 'all'])
        .default('sample'),
    )
    .option('--print-profile', 'print the profile with the flags applied, and exit');
  return command.action(async (named: string | undefined) => {
    const commands = command.commands.map((each) => each.name());
    // Parsed here, so that the error for an invalid URL suggests the nearest command.
    if (named !== undefined) parseBaseUrl(named, didYouMean(named, commands));
    const target = await configuredTarget(command, named);
    const flags = command.opts<LoadFlags>();
    const settings = await settingsOf(flags);
    if (flags.printProfile) {
      const { writeProfile } = await import('../profiles/write-profile.ts');
      process.stdout.write(writeProfile(settings.profile));
      return;
    }
    // Loaded only now, so that help and other commands start without the engine.
    const { runLoadCommand } = await import('./load-run.ts');
    process.exitCode = await runLoadCommand(target, settings, flags, deps);
  });
}
