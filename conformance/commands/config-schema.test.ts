import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, onTestFinished, test } from 'vitest';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';
import { applyConfigFile, configSchemaOf } from './config-file.ts';
import { createTestCommand } from './test-command.ts';

const command = () => createTestCommand(() => Promise.reject(new Error('nothing to start')));
const validate = new Ajv2020({ allowUnionTypes: true }).compile(configSchemaOf(command()));

test.each([
  [{ seed: 7, 'max-time': 1.5, concurrency: 256 }, true],
  [{ seed: -1 }, false],
  [{ seed: 'many' }, false],
  [{ seed: [1, 2] }, false],
  [{ rate: 0 }, false],
  [{ 'tolerance-ppm': 0 }, true],
  [{ concurrency: 257 }, false],
  [{ only: 2.7 }, true],
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
  [{ seeds: 1 }, false],
])('%j -> %s, by the schema and by the command', (config, isRight) => {
  const { write } = useFolder(onTestFinished);
  const path = write('config.json', config);
  expect(validate(config)).toBe(isRight);
  const read = () => applyConfigFile(command(), path);
  if (isRight) expect(read).not.toThrow();
  else expect(read).toThrow();
});
