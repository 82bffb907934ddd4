import { type ExportTarget, readScripts } from './export-target.ts';

/** The binary or its Kubernetes operator. It judges no replies. */
export const K6: ExportTarget = {
  title: 'k6',
  async files({ target }) {
    const scripts = await readScripts('k6', ['script.js', 'schedule.js', 'testrun.yaml']);
    const manifest = scripts['testrun.yaml'];
    if (!manifest.includes(HOLE)) throw new Error(`testrun.yaml has no ${HOLE} to fill in`);
    return { ...scripts, 'testrun.yaml': manifest.replace(HOLE, () => JSON.stringify(target)) };
  },
  holds: ({ metric }) => metric !== 'wrong',
};

const HOLE = '"@TARGET@"';
