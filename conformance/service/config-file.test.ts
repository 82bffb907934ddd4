import { mkdirSync, realpathSync } from 'node:fs';
import { Command } from 'commander';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../../fixtures/testing/run-command.testing.ts';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';
import { withReachOptions } from '../client/access-options.ts';
import { decimalNumber, repeated, wholeNumber } from '../output/option-values.ts';
import { commonFormats, reportOption } from '../output/report-formats.ts';
import { applyConfig, type ConfiguredService, JUDGING_OPTIONS } from './config-file.ts';
import { withConfigOptions } from './config-options.ts';

const working = process.cwd();
afterEach(() => process.chdir(working));

function createProjectFolder() {
  const folder = useFolder(onTestFinished);
  process.chdir(folder.folder);
  return { ...folder, path: realpathSync(folder.folder) };
}

const formats = commonFormats('reports/run', async () => () => []);

async function configure(args: readonly string[], names?: readonly string[]) {
  let service: ConfiguredService | undefined;
  const command = withConfigOptions(withReachOptions(new Command('a')))
    .argument('[BASE_URL]')
    .option('--seed <n>', '', wholeNumber(0, 9))
    .option('--rate <n>', '', decimalNumber('more'))
    .option('--rules <file>', '', repeated(String))
    .addOption(reportOption(formats));
  command.action((named: string | undefined) => {
    service = applyConfig(command, named, names);
  });
  const { code, stderr } = await runCommand(command, args);
  const { report, ...options } = command.opts();
  return {
    code,
    stderr,
    service,
    options,
    reports: report.map((each: { path: string }) => each.path),
  };
}

const ALL = [...JUDGING_OPTIONS, 'proxy', 'insecure', 'ca'];

describe('applyConfig', () => {
  test('a file in the working folder -> read; above it -> not read', async () => {
    const { path, write } = createProjectFolder();
    write('swapcheck.yaml', 'rules: [own.mjs]\nreport: [text, json, markdown=out/r.md]\nseed: 7');
    const { options, reports, stderr } = await configure([], ALL);
    expect(options).toMatchObject({ rules: ['own.mjs'], seed: 7 });
    expect(reports).toEqual(['-', 'reports/run.json', 'out/r.md']);
    expect(stderr).toBe(
      'Options are read from swapcheck.yaml (--no-config ignores it). It imports own.mjs.\n',
    );
    mkdirSync(`${path}/api`);
    process.chdir(`${path}/api`);
    expect(await configure([], ALL)).toMatchObject({ options: {}, stderr: '' });
  });

  test('--no-config -> not read; the command line takes precedence over the file', async () => {
    const { write } = createProjectFolder();
    write('swapcheck.yaml', 'url: http://a.example\nstart: serve\nseed: 7\nrate: 2');
    expect(await configure(['--no-config'], ALL)).toMatchObject({
      ...{ service: {}, stderr: '', options: { config: false } },
    });
    const mixed = await configure(['http://b.example', '--seed', '1'], ALL);
    expect(mixed.service).toEqual({ url: 'http://b.example' });
    expect(mixed.options).toMatchObject({ seed: 1, rate: 2 });
    expect(mixed.stderr).toBe('Options are read from swapcheck.yaml (--no-config ignores it).\n');
  });

  test('a file that was found -> its name and effects are printed, without a password', async () => {
    const { write } = createProjectFolder();
    write(
      'swapcheck.yaml',
      'url: http://a.example\nstart: "serve \\e[31m"\nrules: [own.mjs]\nproxy: http://me:pass@proxy.example:3128\ninsecure: true',
    );
    const { stderr, service } = await configure([], ALL);
    expect(stderr).toBe(
      'Options are read from swapcheck.yaml (--no-config ignores it). It sends requests to http://a.example; ' +
        "starts 'serve \\u{1b}[31m'; imports own.mjs; sends through http://proxy.example:3128; accepts any certificate.\n",
    );
    expect(service).toMatchObject({
      url: 'http://a.example',
      start: { log: 'reports/service.log', path: '/', seconds: 60 },
    });
  });

  test('a start command of 30,000 characters -> cut, so that the effects after it are printed', async () => {
    const { write } = createProjectFolder();
    const start = JSON.stringify(`serve ${'x'.repeat(30_000)}`);
    write('swapcheck.yaml', `url: http://a.example\nstart: ${start}\nproxy: http://b.example`);
    const { stderr } = await configure([], ALL);
    expect(stderr).toMatch(/; sends through http:\/\/b\.example\.\n$/);
    expect(stderr.length).toBeLessThan(2_000);
  });

  test('options of other commands -> skipped; by default, only options of the service are read', async () => {
    const { write } = createProjectFolder();
    write('swapcheck.yaml', 'seed: 7\nonly: [plan/*]\nproxy: http://a.example');
    const { options } = await configure([]);
    expect(options).toEqual({ proxy: new URL('http://a.example') });
  });

  test('a number instead of a text, a large file, a device -> rejected with the reason', async () => {
    const { write } = createProjectFolder();
    write('swapcheck.yaml', 'rules: [2.10]');
    expect(await configure([], ALL)).toMatchObject({
      code: 2,
      stderr:
        "--config swapcheck.yaml: --rules 2.1: expected a text in quotes, such as '2.10': YAML reads 2.10 as 2.1",
    });
    write('swapcheck.yaml', `# ${'x'.repeat(2 ** 20)}`);
    expect(await configure([], ALL)).toMatchObject({
      code: 2,
      stderr: '--config swapcheck.yaml: it is larger than 1 MiB',
    });
    expect(await configure(['--config', '/dev/zero'], ALL)).toMatchObject({
      code: 2,
      stderr: '--config /dev/zero: it is not a regular file',
    });
  });
});
