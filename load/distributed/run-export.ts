import { interruptible, type LoadCommandDeps, type LoadRun } from '../load-run.ts';
import { EmptyMixError } from '../mix/mix-plan.ts';
import { prepareRun, UnreachableServiceError } from '../prepare/prepare-run.ts';
import { type Engine, exportFolder, NotExportableError } from './export-folder.ts';

/** What `swapcheck load export` was asked for. */
export type ExportRun = Pick<LoadRun, 'url' | 'profile' | 'seed' | 'chains' | 'apiKey'> & {
  readonly engine: Engine;
  readonly folder: string;
  readonly requests: number | undefined;
};

/** Discovers a service, writes the folder, and resolves to the exit code. */
export async function runExport(run: ExportRun, deps: LoadCommandDeps): Promise<number> {
  const { url, engine, folder, profile, requests } = run;
  const say = (text: string): void => void process.stderr.write(`${text}\n`);
  if (profile.workload.model !== 'open') {
    say(new NotExportableError(profile.workload.model).message);
    return 2;
  }
  const { signal, release } = interruptible();
  const subject = url === undefined ? await deps.startSubject() : undefined;
  const baseUrl = url ?? new URL(subject?.url ?? '');
  try {
    const { mix, leftOut } = await prepareRun({
      baseUrl,
      apiKey: run.apiKey ?? subject?.apiKey ?? '',
      mix: profile.mix,
      seed: run.seed,
      chains: run.chains,
      timeoutMs: profile.timeoutMs,
      kind: 'other',
      signal,
    });
    const target = baseUrl.href.replace(/\/+$/, '');
    const files = await exportFolder({
      engine,
      folder,
      profile,
      mix,
      target,
      ...(requests === undefined ? {} : { requests }),
    });
    for (const kind of leftOut) say(`Left out ${kind}`);
    say(`Wrote ${files.join(', ')} to ${folder}; the key is read from SWAPCHECK_API_KEY`);
    return 0;
  } catch (error) {
    if (!(error instanceof UnreachableServiceError || error instanceof EmptyMixError)) throw error;
    say(error.message);
    return 3;
  } finally {
    release();
    await subject?.close();
  }
}
