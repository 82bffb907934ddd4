import { execFile } from 'node:child_process';
import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { findOptionalProgram } from '../../fixtures/testing/external-programs.testing.ts';
import { expectStalledRun, exportForStallingServer } from './exports.testing.ts';

const k6 = findOptionalProgram('k6');

describe('k6', { timeout: 120_000 }, () => {
  // Only this test may be skipped, because no package registry has the k6 binary, and building it
  // takes minutes.
  test.runIf(k6 !== undefined)(
    'the stalling server -> latency from due times, and a sample of the replies',
    async () => {
      const { path } = await exportForStallingServer('k6');
      // The Kubernetes operator mounts the folder at /test/. Outside Kubernetes, the arguments need
      // no such prefix.
      const { spec } = parse(readFileSync(join(path, 'testrun.yaml'), 'utf8'));
      const args = spec.arguments.replace('/test/', '').replace('$(POD_NAME)', 'one').split(' ');
      await promisify(execFile)(k6 ?? '', ['run', '--no-usage-report', ...args, 'script.js'], {
        cwd: path,
      });
      renameSync(join(path, 'requests-one.ndjson'), join(path, 'requests.ndjson'));
      const lines = readFileSync(join(path, 'requests.ndjson'), 'utf8').split('\n');
      const samples = lines.filter((line) => line.includes('"body"'));
      expect(samples.length).toBeGreaterThan(500);
      expect(JSON.parse(samples[0] ?? '')).toMatchObject({ status: 200, body: '{}' });
      await expectStalledRun(path, 'k6');
    },
  );
});
