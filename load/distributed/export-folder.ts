import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRequestSource, type RequestMix } from '../mix/request-mix.ts';
import { writeProfile } from '../profiles/write-profile.ts';
import { openStages, requestCount, totalDurationS } from '../run/schedule.ts';
import type { ExportedLoad } from './export-target.ts';
import { EXPORT_TARGETS, type ExportEngine } from './export-targets.ts';

/** What to write where. */
export type ExportOptions = Omit<ExportedLoad, 'stages'> & {
  readonly engine: ExportEngine;
  readonly folder: string;
  readonly mix: RequestMix;
  /** Requests in the corpus; a longer run goes round it again. Default: one each, 20,000 at most. */
  readonly requests?: number;
};

/**
 * Writes a folder that plays a profile elsewhere: the corpus (a line a request:
 * name, status expected, target up to the key), the resolved profile with its
 * schedule and thresholds, and the scripts. The API key is in none of them.
 * Returns the names of the files, and the thresholds that are left out, since
 * the engine has no figure for them.
 *
 * @throws {NotExportableError} for a workload without a schedule
 * @throws {FolderError} where it cannot be written
 */
export async function exportFolder(options: ExportOptions) {
  const { engine, folder, profile, mix, target } = options;
  const { workload } = profile;
  if (workload.model !== 'open') throw new NotExportableError(workload.model);
  const stages = openStages(workload.stages);
  const requests = options.requests ?? Math.min(MOST_REQUESTS, requestCount(stages));
  const { files: filesOf, holds } = EXPORT_TARGETS[engine];
  const unheld = profile.thresholds.filter((threshold) => !holds(threshold));
  const resolved = {
    ...profile,
    thresholds: profile.thresholds.filter(holds),
    target,
    seed: mix.seed,
    schedule: stages,
    warmUpS: Math.min(profile.warmUpS, totalDurationS(stages) / 4),
    samplesPerSecond: SAMPLES_PER_SECOND,
  };
  const files = {
    'corpus.ndjson': corpus(mix, requests),
    'profile.json': `${JSON.stringify(resolved, undefined, 2)}\n`,
    'profile.yaml': writeProfile(profile),
    ...(await filesOf({ profile, stages, target })),
  };
  try {
    await mkdir(folder, { recursive: true });
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  } catch (cause) {
    throw new FolderError(folder, cause);
  }
  return { files: Object.keys(files), unheld };
}

const MOST_REQUESTS = 20_000;
const SAMPLES_PER_SECOND = 100;

function corpus(mix: RequestMix, requests: number): string {
  const source = createRequestSource(mix, '');
  const line = (number: number): string => {
    const { endpoint, expect, target } = source(number);
    return `${JSON.stringify([endpoint, expect === 'refusal' ? 400 : 200, target])}\n`;
  };
  return Array.from({ length: requests }, (_, number) => line(number)).join('');
}

/** Thrown for a profile that other engines cannot play. */
export class NotExportableError extends Error {
  override readonly name = 'NotExportableError';

  constructor(model: string) {
    super(
      `a ${model} workload cannot be exported: expected an open one, whose schedule can be divided`,
    );
  }
}

/** Thrown for a folder that cannot be written. */
export class FolderError extends Error {
  override readonly name = 'FolderError';

  constructor(folder: string, cause: unknown) {
    super(`${folder} cannot be written: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    });
  }
}
