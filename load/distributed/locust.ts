import { type ExportTarget, readScripts } from './export-target.ts';

/** A master that divides the schedule among workers, merges their percentiles and judges the sample at the end. */
export const LOCUST: ExportTarget = {
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
