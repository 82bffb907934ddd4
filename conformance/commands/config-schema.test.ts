import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, onTestFinished, test } from 'vitest';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';
import {
  applyConfig,
  configSchemaOf,
  JUDGING_OPTIONS,
  SERVICE_OPTIONS,
} from '../service/config-file.ts';
import { createTestCommand } from './test-command.ts';

const command = () => createTestCommand(() => Promise.reject(new Error('nothing to start')));
const OPTIONS = [...SERVICE_OPTIONS, ...JUDGING_OPTIONS];
const validate = new Ajv2020({ allowUnionTypes: true }).compile(configSchemaOf(command()));

test.each([
  [{ seed: 7, 'max-time': 1.5, concurrency: 256 }, true],
  [{ seed: -1 }, false],
  [{ seed: 'many' }, false],
  [{ seed: [1, 2] }, false],
  [{ rate: 0 }, false],
  [{ 'tolerance-ppm': 0 }, true],
  [{ concurrency: 257 }, false],
  [{ only: '2.10' }, true],
  [{ only: [2.1] }, false],
  [{ waivers: 1 }, false],
  [{ only: ['plan/*', '2.2'], chain: [1, 10] }, true],
  [{ chain: [[1]] }, false],
  [{ level: 'should' }, true],
  [{ level: 'may' }, false],
  [{ report: ['text', 'json=out.json'] }, true],
  [{ report: 'docx' }, false],
  [{ 'router-name': 'service-router=FAST' }, true],
  [{ 'router-name': 'no-router=FAST' }, false],
  [{ frozen: true, bail: true, wait: 5 }, true],
  [{ frozen: 'yes' }, false],
  [{ waivers: 'waivers.yaml', fork: ['31337=http://127.0.0.1:8545'] }, true],
  [{ config: 'other.yaml' }, false],
  [{ watch: true }, false],
  [{ 'api-key': 'k' }, false],
  [{ seeds: 1 }, false],
])('%j -> %s, by the schema and by the command', (config, isRight) => {
  const { write } = useFolder(onTestFinished);
  const path = write('config.json', config);
  expect(validate(config)).toBe(isRight);
  const reading = command();
  reading.parseOptions(['--config', path]);
  const read = () => applyConfig(reading, undefined, OPTIONS);
  if (isRight) expect(read).not.toThrow();
  else expect(read).toThrow();
});

test('a configuration may have every option of test, except those of the command line', () => {
  const outside = ['--api-key', '--config', '--no-config', '--watch'];
  const names = command().options.map(({ long }) => long ?? '');
  expect(OPTIONS.map((name) => `--${name}`).sort()).toEqual(
    names.filter((name) => !outside.includes(name)).sort(),
  );
});
