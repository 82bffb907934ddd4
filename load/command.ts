import { Command, InvalidArgumentError, Option } from 'commander';
import { stringify } from 'yaml';
import { ENGINES, type Engine } from './distributed/export-folder.ts';
import { runExport } from './distributed/run-export.ts';
import {
  asArgument,
  collectBy,
  type ProfileFlags,
  parseUrl,
  parseWhole,
  resolveProfile,
  withProfileFlags,
} from './flags.ts';
import { type LoadCommandDeps, runLoadCommand } from './load-run.ts';
import {
  LoadReportOptionError,
  type LoadReportRequest,
  parseLoadReport,
} from './report/formats.ts';

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
    .argument('[url]', 'base URL; unset, the reference in a process of its own', parseUrl)
    .addCommand(createExportCommand(deps));
  return withProfileFlags(command)
    .option(
      '--report <format[=path]>',
      'text, json, junit, markdown or html, repeatable',
      collectBy(parseReport),
    )
    .option('--metrics <port>', 'serve Prometheus text on this loopback port', parseWhole)
    .option('--print-profile', 'print the profile, flags applied, and stop')
    .action(async (url: URL | undefined, flags: LoadFlags) => {
      const profile = resolveProfile(flags, command);
      if (flags.printProfile) {
        process.stdout.write(stringify(profile));
        return;
      }
      process.exitCode = await runLoadCommand(
        {
          url,
          profile,
          seed: flags.seed,
          chains: flags.chain ?? [],
          apiKey: keyOf(flags),
          reports: flags.report ?? [{ format: 'text', path: '-' }],
          metricsPort: flags.metrics,
        },
        deps,
      );
    });
}

function createExportCommand(deps: LoadCommandDeps): Command {
  const command = new Command('export')
    .description('write what Locust or k6 needs to play a profile on many machines')
    .argument('[url]', 'base URL; unset, the reference in a process of its own', parseUrl)
    .addOption(new Option('--engine <name>', 'who plays it').choices(ENGINES).makeOptionMandatory())
    .requiredOption('--out <folder>', 'where to write it; made if need be')
    .option('--requests <n>', 'requests in the corpus', parsePositiveWhole);
  return withProfileFlags(command)
    .exitOverride()
    .action(async (url: URL | undefined) => {
      // A flag that the parent has too is the parent's, wherever it stands.
      const flags = command.optsWithGlobals<ExportFlags>();
      const { engine, out, requests } = flags;
      process.exitCode = await runExport(
        {
          url,
          engine,
          folder: out,
          requests,
          profile: resolveProfile(flags, command),
          seed: flags.seed,
          chains: flags.chain ?? [],
          apiKey: keyOf(flags),
        },
        deps,
      );
    });
}

function keyOf({ apiKey }: ProfileFlags): string | undefined {
  return apiKey ?? process.env['SWAPCHECK_API_KEY'];
}

function parseReport(text: string): LoadReportRequest {
  return asArgument(LoadReportOptionError, () => parseLoadReport(text));
}

function parsePositiveWhole(text: string): number {
  const number = parseWhole(text);
  if (number === 0) throw new InvalidArgumentError('Expected 1 or more.');
  return number;
}
