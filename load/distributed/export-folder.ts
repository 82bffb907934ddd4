import { join } from 'node:path';
import { messageOf } from '../../conformance/contract/message-of.ts';
import { UsageError } from '../../conformance/output/usage-error.ts';
import { writeWhole } from '../../conformance/output/write-reports.ts';
import { SAMPLES_PER_SECOND } from '../engine/sampler.ts';
import { openStages, requestCount, totalDurationS } from '../engine/schedule.ts';
import { createRequestSource, type RequestMix } from '../mix/request-mix.ts';
import type { Profile } from '../model/profile.ts';
import { writeProfile } from '../profiles/write-profile.ts';
import type { ExportedLoad } from './export-targets.ts';
import { EXPORT_TARGETS, type ExportEngine } from './export-targets.ts';

/**
 * Returns the stages of a profile that other engines can run.
 *
 * @throws {UsageError} for a workload without a schedule
 */
export function scheduleOf({ workload }: Profile) {
  if (workload.model === 'open') return workload.stages;
  throw new UsageError(
    `a ${workload.model} workload cannot be exported: expected an open workload, whose schedule can be divided`,
  );
}

type ExportOptions = ExportedLoad & {
  readonly engine: ExportEngine;
  readonly folder: string;
  readonly mix: RequestMix;
  /**
   * Number of requests in the corpus. A longer run repeats the corpus. Default: one per request of
   * the run, at most 20,000.
   */
  readonly requests?: number;
};

/**
 * Writes a folder with which another engine can run a profile. The folder contains the corpus (per
 * request: name, expected status, target up to the key), the resolved profile with its schedule,
 * and the scripts, but not the API key. Returns the names of the files.
 * @throws {UsageError} for a workload without a schedule, or a folder that cannot be written
 */
export async function exportFolder(options: ExportOptions): Promise<readonly string[]> {
  const { engine, folder, profile, mix, target } = options;
  const stages = openStages(scheduleOf(profile));
  const requests = options.requests ?? Math.min(MAX_REQUESTS, requestCount(stages));
  const resolved = {
    ...profile,
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
    ...(await EXPORT_TARGETS[engine].files({ profile, target })),
  };
  try {
    for (const [name, text] of Object.entries(files)) await writeWhole(join(folder, name), text);
  } catch (cause) {
    const why = messageOf(cause);
    throw new UsageError(`${folder} cannot be written: ${why}`, { cause });
  }
  return Object.keys(files);
}

const MAX_REQUESTS = 20_000;

function corpus(mix: RequestMix, requests: number): string {
  const source = createRequestSource(mix, '');
  const line = (number: number): string => {
    const { endpoint, expect, target } = source(number);
    return `${JSON.stringify([endpoint, expect === 'rejection' ? 400 : 200, target])}\n`;
  };
  return Array.from({ length: requests }, (_, number) => line(number)).join('');
}
