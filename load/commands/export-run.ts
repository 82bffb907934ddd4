import { interruptible } from '../../conformance/output/interruptible.ts';
import { given } from '../../conformance/output/option-values.ts';
import { exportFolder, scheduleOf } from '../distributed/export-folder.ts';
import { EXPORT_TARGETS, type ExportEngine } from '../distributed/export-targets.ts';
import { type PreparedRun, prepareLoad } from '../run/prepare-load.ts';
import { type LoadSettings, log } from '../run/service-load.ts';
import { formatThreshold } from '../thresholds/describe-threshold.ts';
import { type LoadCommandDeps, openSubject } from './subject.ts';

/** The parsed options of an export. */
export type ExportFlags = {
  readonly engine: ExportEngine;
  readonly out: string;
  readonly requests?: number;
};

/**
 * Discovers a service, writes the folder, and resolves to the exit code.
 *
 * @throws {UsageError} for a profile that cannot be exported, and a folder that cannot be written
 */
export async function runExport(
  url: URL | undefined,
  settings: LoadSettings,
  flags: ExportFlags,
  deps: LoadCommandDeps,
): Promise<number> {
  // Checked before any request.
  scheduleOf(settings.profile);
  return interruptible(async (signal) => {
    const subject = await openSubject(url, settings, deps);
    try {
      const prepared = await prepareLoad({ ...settings, ...subject, deps, signal });
      if (prepared.kind === 'prepared') {
        await exportPrepared(prepared, subject.baseUrl, settings, flags);
        return 0;
      }
      log(prepared.result.reason);
      return 3;
    } finally {
      await subject.close();
    }
  });
}

async function exportPrepared(
  { mix, omitted }: PreparedRun,
  baseUrl: URL,
  { profile, reach }: LoadSettings,
  { engine, out: folder, requests }: ExportFlags,
): Promise<void> {
  const { title } = EXPORT_TARGETS[engine];
  const target = baseUrl.href.replace(/\/+$/, '');
  const options = { engine, folder, profile, mix, target, ...given({ requests }) };
  const { files, unheld } = await exportFolder(options);
  for (const kind of omitted) log(`Omitted ${kind}`);
  for (const threshold of unheld) {
    const { name, bound } = formatThreshold({ endpoint: 'all', ...threshold, held: false });
    const hint =
      threshold.metric === 'wrong' ? '; judge the sample of replies with swapcheck check' : '';
    log(`${title} cannot hold the threshold ${name} ${bound}${hint}`);
  }
  log(`Wrote ${files.join(', ')} to ${folder}; the key is read from SWAPCHECK_API_KEY`);
  if (reach?.headers !== undefined) log('The scripts do not send the headers of --header');
}
