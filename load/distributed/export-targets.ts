import { readFile } from 'node:fs/promises';
import type { Profile } from '../model/profile.ts';

type ExportTarget = {
  readonly title: string;
  /**
   * Returns files by name. The scripts read `corpus.ndjson` and `profile.json` from their folder,
   * and the API key from `SWAPCHECK_API_KEY`.
   */
  readonly files: (load: ExportedLoad) => Promise<Readonly<Record<string, string>>>;
};

/** The load that is exported. */
export type ExportedLoad = {
  readonly profile: Profile;
  /** Base URL, without a key. */
  readonly target: string;
};

async function readScripts<Name extends string>(
  folder: string,
  names: readonly Name[],
): Promise<Record<Name, string>> {
  const read = async (name: Name): Promise<[Name, string]> => [
    name,
    await readFile(new URL(`./${folder}/${name}`, import.meta.url), 'utf8'),
  ];
  return Object.fromEntries(await Promise.all(names.map(read))) as Record<Name, string>;
}

const K6: ExportTarget = {
  title: 'k6',
  async files({ target }) {
    const scripts = await readScripts('k6', [
      ...(['script.js', 'redaction.js', 'schedule.js', 'testrun.yaml'] as const),
    ]);
    const manifest = scripts['testrun.yaml'];
    if (!manifest.includes(HOLE)) throw new Error(`testrun.yaml has no ${HOLE} to fill in`);
    return { ...scripts, 'testrun.yaml': manifest.replace(HOLE, () => JSON.stringify(target)) };
  },
};

const HOLE = '"@TARGET@"';

const LOCUST: ExportTarget = {
  title: 'Locust',
  async files({ profile: { connections } }) {
    return {
      ...(await readScripts('locust', ['locustfile.py', 'redaction.py', 'schedule.py'])),
      'locust.conf': [
        'locustfile = locustfile.py',
        'headless = true',
        'only-summary = true',
        '# Each connection is a user.',
        `users = ${connections}`,
        `spawn-rate = ${connections}`,
        '',
      ].join('\n'),
    };
  },
};

/** Engines that can run an exported load, keyed by the value of `--engine`. */
export const EXPORT_TARGETS = {
  locust: LOCUST,
  k6: K6,
} as const satisfies Record<string, ExportTarget>;

/** A value of `--engine`. */
export type ExportEngine = keyof typeof EXPORT_TARGETS;
