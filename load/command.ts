import { Command, Option } from 'commander';
import {
  parseBaseUrl,
  repeated,
  reportIn,
  wholeNumber,
} from '../conformance/commands/parse-values.ts';
import { TEXT_ALONE } from '../conformance/commands/publish-report.ts';
import { ENGINES, type Engine } from './distributed/export-folder.ts';
import { runExport } from './distributed/run-export.ts';
import { apiKeyOf, type ProfileFlags, resolveProfile, withProfileFlags } from './flags.ts';
import { type LoadCommandDeps, runLoadCommand } from './load-run.ts';
import { writeProfile } from './profiles/write-profile.ts';
import { LOAD_FORMATS, type LoadReportRequest } from './report/formats.ts';

/** What commander reads from the command line. */
type LoadFlags = ProfileFlags & {
  readonly report?: readonly LoadReportRequest[];
  readonly metrics?: number;
  readonly printProfile?: true;
};

type ExportFlags = ProfileFlags & {
  readonly engine: Engine;
  readonly out: string;
  readonly requests?: number;
};

/**
 * Returns the command `swapcheck load`, and `swapcheck load export` under it.
 * Exits 0 when every threshold held, 1 when one was crossed, 2 when it was used
 * wrongly, 3 when the run is incomplete or invalid.
 */
export function createLoadCommand(deps: LoadCommandDeps): Command {
  const command = new Command('load')
    .description('load a service and judge a sample of its replies meanwhile')
    .argument('[BASE_URL]', 'root of the service; unset, the reference in a process of its own')
    .addCommand(createExportCommand(deps));
  return withProfileFlags(command)
    .option(
      '--report <format[=path]>',
      'repeatable: text, json, junit, markdown or html',
      repeated(reportIn(LOAD_FORMATS)),
    )
    .option(
      '--metrics <port>',
      'serve Prometheus text on this loopback port, 0 for a free one',
      wholeNumber(0, 65_535),
    )
    .option('--print-profile', 'print the profile, flags applied, and stop')
    .action(async (baseUrl: string | undefined, flags: LoadFlags) => {
      const url = baseUrl === undefined ? undefined : parseBaseUrl(baseUrl);
      const profile = resolveProfile(flags);
      if (flags.printProfile) {
        process.stdout.write(writeProfile(profile));
        return;
      }
      process.exitCode = await runLoadCommand(
        {
          url,
          profile,
          seed: flags.seed,
          chains: flags.chain ?? [],
          apiKey: apiKeyOf(flags),
          reports: flags.report ?? TEXT_ALONE,
          metricsPort: flags.metrics,
        },
        deps,
      );
    });
}

function createExportCommand(deps: LoadCommandDeps): Command {
  const command = new Command('export')
    .description('write what Locust or k6 needs to play a profile on many machines')
    .argument('[BASE_URL]', 'root of the service; unset, the reference in a process of its own')
    .addOption(new Option('--engine <name>', 'who plays it').choices(ENGINES).makeOptionMandatory())
    .requiredOption('--out <folder>', 'where to write it; made if need be')
    .option('--requests <n>', 'requests in the corpus', wholeNumber(1, 10_000_000));
  return withProfileFlags(command)
    .exitOverride()
    .action(async (baseUrl: string | undefined) => {
      // A flag that the parent has too is the parent's, wherever it stands.
      const flags = command.optsWithGlobals<ExportFlags>();
      const { engine, out, requests } = flags;
      process.exitCode = await runExport(
        {
          url: baseUrl === undefined ? undefined : parseBaseUrl(baseUrl),
          engine,
          folder: out,
          requests,
          profile: resolveProfile(flags),
          seed: flags.seed,
          chains: flags.chain ?? [],
          apiKey: apiKeyOf(flags),
        },
        deps,
      );
    });
}
