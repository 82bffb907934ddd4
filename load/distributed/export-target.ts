import { readFile } from 'node:fs/promises';
import type { Stage } from '../engine/schedule.ts';
import type { Profile, Threshold } from '../model/profile.ts';

/** An engine that a load is exported to: which files it plays it with, besides the corpus and the profile. */
export type ExportTarget = {
  /** What people call it. */
  readonly title: string;
  /** Its own files, by name. They read `corpus.ndjson` and `profile.json` beside them, and the key from `SWAPCHECK_API_KEY`. */
  readonly files: (load: ExportedLoad) => Promise<Readonly<Record<string, string>>>;
  /** Whether it has a figure to hold a threshold against. */
  readonly holds: (threshold: Threshold) => boolean;
};

export type ExportedLoad = {
  readonly profile: Profile;
  readonly stages: readonly Stage[];
  /** Base URL, without a key. */
  readonly target: string;
};

/** Returns data files of a folder beside this file, by name, each in the language of its engine. */
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
