import { interruptible } from '../../conformance/output/interruptible.ts';
import { UsageError } from '../../conformance/output/usage-error.ts';
import { exportFolder, FolderError, NotExportableError } from '../distributed/export-folder.ts';
import { EXPORT_TARGETS, type ExportEngine } from '../distributed/export-targets.ts';
import { prepareLoad, say } from '../play/play-service.ts';
import { showThreshold } from '../thresholds/describe-threshold.ts';
import type { LoadRun } from './load-run.ts';
import { openSubject, type SubjectDeps } from './subject.ts';

/** What `swapcheck load export` was asked for. */
export type ExportRun = Pick<
  LoadRun,
  'url' | 'profile' | 'seed' | 'chains' | 'apiKey' | 'routerNames'
> & {
  readonly engine: ExportEngine;
  readonly folder: string;
  readonly requests: number | undefined;
};

/**
 * Discovers a service, writes the folder, and resolves to the exit code.
 *
 * @throws {UsageError} for a profile that cannot be exported, and a folder that cannot be written
 */
export async function runExport(run: ExportRun, deps: SubjectDeps): Promise<number> {
  const { model } = run.profile.workload;
  if (model !== 'open') throw new UsageError(new NotExportableError(model).message);
  return interruptible((signal) => prepareAndExport(run, deps, signal));
}

async function prepareAndExport(
  run: ExportRun,
  deps: SubjectDeps,
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
