import { Command, Option } from 'commander';
import { parseBaseUrl } from '../../conformance/client/base-url.ts';
import { interruptible } from '../../conformance/output/interruptible.ts';
import { wholeNumber } from '../../conformance/output/option-values.ts';
import { UsageError } from '../../conformance/output/usage-error.ts';
import { exportFolder, FolderError, NotExportableError } from '../distributed/export-folder.ts';
import { EXPORT_TARGETS, type ExportEngine } from '../distributed/export-targets.ts';
import { prepareLoad, say } from '../play/play-service.ts';
import { showThreshold } from '../thresholds/describe-threshold.ts';
import type { LoadRun } from './load-run.ts';
import { apiKeyOf, type ProfileFlags, resolveProfile, withProfileFlags } from './profile-flags.ts';
import { type LoadCommandDeps, openSubject } from './subject.ts';

type ExportFlags = ProfileFlags & {
  readonly engine: ExportEngine;
  readonly out: string;
  readonly requests?: number;
};

/** Returns the command `swapcheck load export`. */
export function createExportCommand(deps: LoadCommandDeps): Command {
  const titles = Object.values(EXPORT_TARGETS).map(({ title }) => title);
  const command = new Command('export')
    .description(
      `write a folder that plays a profile on many machines with ${new Intl.ListFormat('en', { type: 'disjunction' }).format(titles)}`,
    )
    .argument('[BASE_URL]', 'root of the service (default: the reference, in a process of its own)')
    .addOption(
      new Option('--engine <name>', 'what plays the load')
        .choices(Object.keys(EXPORT_TARGETS))
        .makeOptionMandatory(),
    )
    .requiredOption('--out <folder>', 'where to write it; created if it does not exist')
    .option(
      '--requests <n>',
      'requests in the corpus; a longer run repeats them (default: one for each that is due, 20000 at most)',
      wholeNumber(1, 10_000_000),
    );
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

/** What `swapcheck load export` was asked for. */
export type ExportRun = Pick<LoadRun, 'url' | 'profile' | 'seed' | 'chains' | 'apiKey'> & {
  readonly engine: ExportEngine;
  readonly folder: string;
  readonly requests: number | undefined;
};

/**
 * Discovers a service, writes the folder, and resolves to the exit code.
 *
 * @throws {UsageError} for a profile that cannot be exported, and a folder that cannot be written
 */
export async function runExport(run: ExportRun, deps: LoadCommandDeps): Promise<number> {
  const { model } = run.profile.workload;
  if (model !== 'open') throw new UsageError(new NotExportableError(model).message);
  return interruptible((signal) => prepareAndExport(run, deps, signal));
}

async function prepareAndExport(
  run: ExportRun,
  deps: LoadCommandDeps,
  signal: AbortSignal,
): Promise<number> {
  const { engine, folder, profile, requests } = run;
  const subject = await openSubject(run, deps);
  try {
    const prepared = await prepareLoad({ ...run, ...subject, deps, signal });
    if (prepared.kind === 'unplayed') {
      say(prepared.result.reason);
      return 3;
    }
    const { mix, leftOut } = prepared;
    const { title } = EXPORT_TARGETS[engine];
    const target = subject.baseUrl.href.replace(/\/+$/, '');
    const { files, unheld } = await exportFolder({
      engine,
      folder,
      profile,
      mix,
      target,
      ...(requests === undefined ? {} : { requests }),
    });
    for (const kind of leftOut) say(`Left out ${kind}`);
    for (const threshold of unheld) {
      const { name, bound } = showThreshold({ endpoint: 'all', ...threshold, held: false });
      const hint =
        threshold.metric === 'wrong' ? '; judge the sample of replies with swapcheck check' : '';
      say(`${title} cannot hold the threshold ${name} ${bound}${hint}`);
    }
    say(`Wrote ${files.join(', ')} to ${folder}; the key is read from SWAPCHECK_API_KEY`);
    return 0;
  } catch (error) {
    if (error instanceof FolderError) throw new UsageError(error.message, { cause: error });
    throw error;
  } finally {
    await subject.close();
  }
}
