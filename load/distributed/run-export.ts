import { UsageError } from '../../conformance/commands/usage-error.ts';
import {
  interruptible,
  type LoadCommandDeps,
  type LoadRun,
  prepareOnce,
  say,
} from '../load-run.ts';
import { showThreshold } from '../report/words.ts';
import { type Engine, exportFolder, FolderError, NotExportableError } from './export-folder.ts';

/** What `swapcheck load export` was asked for. */
export type ExportRun = Pick<LoadRun, 'url' | 'profile' | 'seed' | 'chains' | 'apiKey'> & {
  readonly engine: Engine;
  readonly folder: string;
  readonly requests: number | undefined;
};

/**
 * Discovers a service, writes the folder, and resolves to the exit code.
 *
 * @throws {UsageError} for a profile that cannot be exported, and a folder that cannot be written
 */
export async function runExport(run: ExportRun, deps: LoadCommandDeps): Promise<number> {
  const { url, engine, folder, profile, requests } = run;
  const { model } = profile.workload;
  if (model !== 'open') throw new UsageError(new NotExportableError(model).message);
  const { signal, release } = interruptible();
  const subject = url === undefined ? await deps.startSubject() : undefined;
  const baseUrl = url ?? new URL(subject?.url ?? '');
  try {
    const prepared = await prepareOnce({
      baseUrl,
      apiKey: subject?.apiKey ?? run.apiKey ?? '',
      kind: 'other',
      run,
      deps,
      signal,
    });
    if ('unplayed' in prepared) {
      say(prepared.unplayed.reason);
      return 3;
    }
    const { mix, leftOut } = prepared;
    const target = baseUrl.href.replace(/\/+$/, '');
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
      say(`Not held by ${engine}: ${name} ${bound}; judge the sample with swapcheck check`);
    }
    say(`Wrote ${files.join(', ')} to ${folder}; the key is read from SWAPCHECK_API_KEY`);
    return 0;
  } catch (error) {
    if (error instanceof FolderError) throw new UsageError(error.message, { cause: error });
    throw error;
  } finally {
    release();
    await subject?.close();
  }
}
