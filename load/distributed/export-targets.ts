import { type ExportTarget, readScripts } from './export-target.ts';

const HOLE = '"@TARGET@"';

/** The binary, or its Kubernetes operator. It judges no replies. */
const K6: ExportTarget = {
  title: 'k6',
  async files({ target }) {
    const scripts = await readScripts('k6', ['script.js', 'schedule.js', 'testrun.yaml']);
    const manifest = scripts['testrun.yaml'];
    if (!manifest.includes(HOLE)) throw new Error(`testrun.yaml has no ${HOLE} to fill in`);
    return { ...scripts, 'testrun.yaml': manifest.replace(HOLE, () => JSON.stringify(target)) };
  },
  holds: ({ metric }) => metric !== 'wrong',
};

/** A master that divides the schedule among workers, merges their percentiles and judges the sample when it is over. */
const LOCUST: ExportTarget = {
  title: 'Locust',
  async files({ profile: { connections } }) {
    return {
      ...(await readScripts('locust', ['locustfile.py', 'schedule.py', 'thresholds.py'])),
      'locust.conf': [
        'locustfile = locustfile.py',
        'headless = true',
        'only-summary = true',
        '# A connection is a user.',
        `users = ${connections}`,
        `spawn-rate = ${connections}`,
        '',
      ].join('\n'),
    };
  },
  holds: ({ metric, endpoint = 'all' }) => metric !== 'wrong' || endpoint === 'all',
};

/** The engines that a load is exported to, by what `--engine` calls them. */
export const EXPORT_TARGETS = {
  locust: LOCUST,
  k6: K6,
} as const satisfies Record<string, ExportTarget>;

/** A name that `--engine` takes. */
export type ExportEngine = keyof typeof EXPORT_TARGETS;
