import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runConformance } from '../../conformance/library/swapcheck.ts';
import { write as writeShell } from '../../conformance/report/shell.ts';
import { write as writeVitest } from '../../conformance/report/vitest.ts';
import { MUTANTS } from '../../reference/mutants/catalog.ts';
import { middlewareOf } from '../../reference/mutants/faults/middleware.ts';
import { type RunningReference, startReference } from '../../reference/server/start.ts';
import buildProgram, { PROGRAM } from './helpers/built-program.testing.ts';
import { startProgram } from './helpers/start-program.testing.ts';

/* The reports that are tests, run as they are printed: red on the faulty service, green on the reference. */

const root = fileURLToPath(new URL('../..', import.meta.url));
/** One that a reply shows, and one that a probe asks for. */
const RULES = ['chain/chain-id-unique', 'swap/exactly-one-amount'];

let folder: string;
let faulty: RunningReference;
let sound: RunningReference;

beforeAll(async () => {
  buildProgram();
  const faults = RULES.flatMap((id) => MUTANTS.find(({ caughtBy }) => caughtBy === id) ?? []);
  [faulty, sound] = await Promise.all([
    startReference({ middleware: faults.map((fault) => middlewareOf(fault)) }),
    startReference(),
  ]);
  // Inside the package, where its name and vitest are found.
  mkdirSync(join(root, 'reports'), { recursive: true });
  folder = mkdtempSync(join(root, 'reports/regressions-'));
  const options = { service: { url: faulty.url }, apiKey: 'demo', only: RULES, requests: [] };
  const report = await runConformance(options);
  expect(report.rules.map(({ outcome }) => outcome)).toEqual(['fail', 'fail']);
  writeFileSync(join(folder, 'swapcheck.test.ts'), writeVitest(report));
  // That of this package names its own folders.
  writeFileSync(join(folder, 'vitest.config.mjs'), 'export default {};');
  writeFileSync(join(folder, 'swapcheck-test.sh'), writeShell(report));
  chmodSync(join(folder, 'swapcheck-test.sh'), 0o755);
}, 300_000);

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await Promise.all([faulty.close(), sound.close()]);
});

/** Runs a program against a service, or the one that the file names; its exit code and what it said. */
async function against(
  service: RunningReference | undefined,
  program: string,
  ...args: readonly string[]
) {
  const named = service === undefined ? {} : { SWAPCHECK_BASE_URL: service.url };
  const env = {
    PATH: process.env['PATH'],
    SWAPCHECK: PROGRAM,
    SWAPCHECK_API_KEY: 'demo',
    ...named,
  };
  return startProgram(program, args, { cwd: folder, env }).ended;
}

describe.each([
  ['vitest', process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run']],
  ['shell', './swapcheck-test.sh', []],
])('--report %s', (_, program, args) => {
  test('the faulty service -> red, each failure named', async () => {
    const { code, stdout } = await against(undefined, program, ...args);
    expect(code).toBe(1);
    for (const rule of RULES) expect(stdout).toContain(rule);
  });

  test('the reference -> green', async () => {
    const { code, stdout } = await against(sound, program, ...args);
    expect([code, stdout]).toEqual([0, expect.not.stringMatching(/BROKEN|failed/)]);
  });

  test('nobody there -> red', async () => {
    const nobody = { ...sound, url: 'http://127.0.0.1:1' };
    expect((await against(nobody, program, ...args)).code).toBe(1);
  });
});
