import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** Runs tests without vitest and without a mutation, and prints the result of each. */
const DRY_RUN = `
  import { pathToFileURL } from 'node:url';
  const { strykerPlugins } = await import(pathToFileURL('scripts/tests/mutation/test-runner.mjs').href);
  const [{ injectableClass: Runner }] = strykerPlugins;
  const runner = new Runner({ inProcess: { testFiles: process.argv.slice(1) } });
  await runner.init();
  const { tests } = await runner.dryRun();
  process.stdout.write(JSON.stringify(tests));
`;

test('tests of checks and rules in the mutation test runner -> pass', async () => {
  const files = [
    'conformance/checks/text-checks.test.ts',
    'conformance/rules/{large,sound}-replies.test.ts',
  ];
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', DRY_RUN, ...files],
    { cwd: new URL('../../..', import.meta.url) },
  );
  const tests: { fileName: string; failureMessage?: string }[] = JSON.parse(stdout);
  expect(tests.flatMap(({ failureMessage }) => failureMessage ?? [])).toEqual([]);
  expect(new Set(tests.map(({ fileName }) => fileName)).size).toBe(3);
});
