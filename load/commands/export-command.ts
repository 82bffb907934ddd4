import { Command, Option } from 'commander';
import { wholeNumber } from '../../conformance/output/option-values.ts';
import { withConfigOptions } from '../../conformance/service/config-options.ts';
import { EXPORT_TARGETS } from '../distributed/export-targets.ts';
import type { ExportFlags } from './export-run.ts';
import {
  configuredTarget,
  type ProfileFlags,
  settingsOf,
  withProfileFlags,
} from './profile-flags.ts';
import type { LoadCommandDeps } from './subject.ts';

/** Returns the command `swapcheck load export`. */
export function createExportCommand(deps: LoadCommandDeps): Command {
  const titles = Object.values(EXPORT_TARGETS).map(({ title }) => title);
  const command = new Command('export')
    .description(
      `write a folder with which ${new Intl.ListFormat('en', { type: 'disjunction' }).format(titles)} runs a profile on many machines`,
    )
    .argument(
      '[BASE_URL]',
      'base URL of the service (default: the reference, in a separate process)',
    )
    .addOption(
      new Option('--engine <name>', 'engine that runs the load')
        .choices(Object.keys(EXPORT_TARGETS))
        .makeOptionMandatory(),
    )
    .requiredOption('--out <folder>', 'folder to write; created if it does not exist')
    .option(
      '--requests <n>',
      'requests in the corpus; a longer run repeats them (default: one per due request, at most 20000)',
      wholeNumber(1, 10_000_000),
    );
  return withConfigOptions(withProfileFlags(command))
    .exitOverride()
    .action(async (named: string | undefined) => {
      // If the parent command has the same flag, commander assigns the value to the parent,
      // wherever the flag appears.
      const target = await configuredTarget(command.parent ?? command, named);
      const flags = command.optsWithGlobals<ProfileFlags & ExportFlags>();
      // Loaded only now, so that help and other commands start without the engine.
      const { runExport } = await import('./export-run.ts');
      process.exitCode = await runExport(target, await settingsOf(flags), flags, deps);
    });
}
