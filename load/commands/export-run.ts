import { join } from 'node:path';
import { interruptible } from '../../conformance/output/interruptible.ts';
import { given } from '../../conformance/output/option-values.ts';
import { notify } from '../../conformance/output/terminal.ts';
import { exportFolder, scheduleOf } from '../distributed/export-folder.ts';
import type { ExportEngine } from '../distributed/export-targets.ts';
import { type PreparedRun, prepareLoad } from '../run/prepare-load.ts';
import type { LoadSettings } from '../run/service-load.ts';
import type { LoadTarget } from './profile-flags.ts';
import { type LoadCommandDeps, withService } from './subject.ts';

/** The parsed options of an export. */
export type ExportFlags = {
  readonly engine: ExportEngine;
  readonly out: string;
  readonly requests?: number;
};

/**
 * Discovers a service, writes the folder, and resolves to the exit code.
 *
 * @throws {UsageError} for a profile that cannot be exported, or a folder that cannot be written
 */
export async function runExport(
  target: LoadTarget,
  settings: LoadSettings,
  flags: ExportFlags,
  deps: LoadCommandDeps,
): Promise<number> {
  // Rejects a workload without a schedule before any request is sent.
  scheduleOf(settings.profile);
  return interruptible((signal) =>
    withService(target, settings, deps, signal, async (service) => {
      const prepared = await prepareLoad({ ...settings, ...service, deps });
      if (prepared.kind === 'prepared') {
        await exportPrepared(prepared, service.baseUrl, settings, flags);
        return 0;
      }
      notify(prepared.result.reason);
      return 3;
    }),
  );
}

async function exportPrepared(
  { mix, omitted }: PreparedRun,
  baseUrl: URL,
  { profile, reach }: LoadSettings,
  { engine, out: folder, requests }: ExportFlags,
): Promise<void> {
  const target = baseUrl.href.replace(/\/+$/, '');
  const options = { engine, folder, profile, mix, target, ...given({ requests }) };
  const files = await exportFolder(options);
  for (const kind of omitted) notify(`Omitted ${kind}`);
  notify(`Wrote ${files.join(', ')} to ${folder}; the key is read from SWAPCHECK_API_KEY`);
  notify(
    `After the run, swapcheck load merge ${folder} checks the thresholds, and swapcheck check ${join(folder, 'requests.ndjson')} judges the sample of replies`,
  );
  if (reach?.headers !== undefined) notify('The scripts do not send the headers of --header');
}
