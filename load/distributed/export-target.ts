import { readFile } from 'node:fs/promises';
import type { Stage } from '../engine/schedule.ts';
import type { Profile, Threshold } from '../model/profile.ts';

/** An engine to which a load is exported, with its files besides the corpus and the profile. */
export type ExportTarget = {
  /** Its usual name. */
  readonly title: string;
  /** Its own files by name. They read `corpus.ndjson` and `profile.json` next to them, and the key from `SWAPCHECK_API_KEY`. */
  readonly files: (load: ExportedLoad) => Promise<Readonly<Record<string, string>>>;
  /** Returns whether it has the metric of a threshold. */
  readonly holds: (threshold: Threshold) => boolean;
};

export type ExportedLoad = {
  readonly profile: Profile;
  readonly stages: readonly Stage[];
  /** Base URL, without a key. */
  readonly target: string;
};

/** Returns data files of a folder next to this file by name. */
export async function readScripts<Name extends string>(
  folder: string,
  names: readonly Name[],
): Promise<Record<Name, string>> {
  const read = async (name: Name): Promise<[Name, string]> => [
    name,
    await readFile(new URL(`./${folder}/${name}`, import.meta.url), 'utf8'),
  ];
  return Object.fromEntries(await Promise.all(names.map(read))) as Record<Name, string>;
}
