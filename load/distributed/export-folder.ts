import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRequestSource, type MixPlan } from '../mix/mix-plan.ts';
import type { Profile } from '../profiles/profile.ts';
import { writeProfile } from '../profiles/write-profile.ts';
import { openStages } from '../run/open-stages.ts';
import { requestCount, totalDurationS } from '../run/schedule.ts';
import { K6_MANIFEST, K6_SCRIPT } from './k6-script.ts';
import { LOCUST_SCRIPT } from './locust-script.ts';

/** The tools that an export is for. */
export const ENGINES = ['locust', 'k6'] as const;
export type Engine = (typeof ENGINES)[number];

/** What to write where. */
export type ExportOptions = {
  readonly engine: Engine;
  readonly folder: string;
  readonly profile: Profile;
  readonly mix: MixPlan;
  /** Base URL, without a key. */
  readonly target: string;
  /** Requests in the corpus; a longer run goes round it again. Default: one each, 20,000 at most. */
  readonly requests?: number;
};

/**
 * Writes a folder that plays a profile elsewhere: the corpus (a line a request:
 * name, status expected, target up to the key), the resolved profile with its
 * schedule and thresholds, and the script. The API key is in none of them.
 *
 * @throws {NotExportableError} for a workload without a schedule
 * @throws {FolderError} where it cannot be written
 */
export async function exportFolder(options: ExportOptions): Promise<readonly string[]> {
  const { engine, folder, profile, mix, target } = options;
  const { workload } = profile;
  if (workload.model !== 'open') throw new NotExportableError(workload.model);
  const stages = openStages(workload.stages);
  const requests = options.requests ?? Math.min(MOST_REQUESTS, requestCount(stages));
  const resolved = {
    ...profile,
    target,
    seed: mix.seed,
    schedule: stages,
    warmUpS: Math.min(profile.warmUpS, totalDurationS(stages) / 4),
    samplesPerSecond: SAMPLES_PER_SECOND,
  };
  const files: Record<string, string> = {
    'corpus.ndjson': corpus(mix, requests),
    'profile.json': `${JSON.stringify(resolved, undefined, 2)}\n`,
    'profile.yaml': writeProfile(profile),
    ...(engine === 'locust'
      ? { 'locustfile.py': LOCUST_SCRIPT, 'locust.conf': locustConf(profile) }
      : {
          'script.js': K6_SCRIPT,
          'testrun.yaml': K6_MANIFEST.replace('"@TARGET@"', JSON.stringify(target)),
        }),
  };
  try {
    await mkdir(folder, { recursive: true });
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  } catch (cause) {
    throw new FolderError(folder, cause);
  }
  return Object.keys(files);
}

function corpus(mix: MixPlan, requests: number): string {
  const source = createRequestSource(mix, '');
  let lines = '';
  for (let number = 0; number < requests; number++) {
    const { endpoint, expect, target } = source(number);
    lines += `${JSON.stringify([endpoint, expect === 'refusal' ? 400 : 200, target])}\n`;
  }
  return lines;
}

function locustConf({ connections }: Profile): string {
  return [
    'locustfile = locustfile.py',
    'headless = true',
    'only-summary = true',
    '# A connection is a user.',
    `users = ${connections}`,
    `spawn-rate = ${connections}`,
    '',
  ].join('\n');
}

const MOST_REQUESTS = 20_000;
const SAMPLES_PER_SECOND = 100;

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
