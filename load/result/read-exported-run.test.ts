import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../../fixtures/testing/run-command.testing.ts';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';
import { createMergeCommand } from '../commands/merge-command.ts';
import { exportFolder } from '../distributed/export-folder.ts';
import { constantProfile } from '../distributed/exports.testing.ts';
import { sampleMix as mix } from '../mix/sample-mix.testing.ts';

const RATE = 20;
const SECONDS = 4;

async function writeRun(engine: 'k6' | 'locust', id: string, answerMs: number, hasTimeout = true) {
  const { folder, write } = useFolder(onTestFinished);
  const profile = {
    ...constantProfile(RATE, SECONDS, 10),
    warmUpS: 1,
    thresholds: [
      { metric: 'p99' as const, max: 50 },
      { metric: 'wrong' as const, max: 0 },
    ],
  };
  await exportFolder({ engine, folder, profile, mix, target: 'http://127.0.0.1:1' });
  const requests = Array.from({ length: RATE * SECONDS }, (_, number) => {
    const dueMs = (number * 1000) / RATE;
    const request = ['swap', dueMs, dueMs + 1, dueMs + answerMs, null, 200, 1];
    return number % 2 === 0 ? { request } : { request, url: '/x', status: 200, body: '{}' };
  });
  if (hasTimeout)
    requests.push({ request: ['swap', 3990, 3991, 9991, 'timeout', null, null] as never });
  const run = { id, startedAt: '2026-01-01T00:00:00.000Z', engine };
  const lines = [{ run }, ...requests].map((line) => `${JSON.stringify(line)}\n`).join('');
  write('requests.ndjson', lines);
  return folder;
}

async function merge(...paths: readonly string[]) {
  const { at, readJson } = useFolder(onTestFinished);
  const args = [...paths, '--report', `json=${at('all.json')}`, '--report', 'text'];
  const run = await runCommand(createMergeCommand(), args);
  return { ...run, result: run.code === 2 ? undefined : readJson('all.json') };
}

test('a folder without a fault -> passed, and names what was not judged', async () => {
  const { code, result } = await merge(await writeRun('locust', 'a', 10, false));
  expect(result).toMatchObject({
    verdict: 'passed',
    reason: 'all 1 thresholds held; omitted: wrong replies',
    omitted: ['wrong replies: judge the sample with swapcheck check requests.ndjson'],
  });
  expect(code).toBe(0);
});

test('a folder that k6 ran -> its metrics, and a crossed threshold', async () => {
  const { code, stdout, result } = await merge(await writeRun('k6', 'a', 10));
  expect(result).toMatchObject({
    verdict: 'failed',
    reason: expect.stringContaining('p99'),
    sent: 81,
    endpoints: [
      { name: 'all', requests: 61, errors: { timeout: 1 }, statuses: { 200: 60 } },
      { name: 'swap', latencyMs: { p50: expect.closeTo(10, 1) } },
    ],
  });
  expect(code).toBe(1);
  expect(stdout).toContain('run by k6');
});

test('folders of two engines -> one exact result', async () => {
  const { result } = await merge(await writeRun('k6', 'a', 10), await writeRun('locust', 'b', 30));
  expect(result).toMatchObject({
    runId: 'a+b',
    sent: 162,
    endpoints: [{ requests: 122, latencyMs: { p50: expect.closeTo(30, 1) } }, {}],
    client: { engine: 'k6, locust' },
  });
});

test.each([
  ['no record of a run', 'requests.ndjson', undefined, 'cannot be read'],
  ['an empty record', 'requests.ndjson', '', 'has no run'],
  ['a malformed record', 'requests.ndjson', '{"run":', 'requests.ndjson:1 cannot be read'],
  ['a folder that was not exported', 'profile.json', undefined, 'profile.json'],
])('%s -> exit code 2, with the reason', async (_, name, text, message) => {
  const folder = await writeRun('k6', 'a', 10);
  if (text === undefined) rmSync(`${folder}/${name}`);
  else writeFileSync(`${folder}/${name}`, text);
  expect(await merge(folder)).toMatchObject({ code: 2, text: expect.stringContaining(message) });
});

test.each(['profile.json', 'profile.yaml', 'requests.ndjson'])(
  '%s is a pipe, a link to a device or a folder -> exit 2 at once, and the path in the error',
  async (name) => {
    const folder = await writeRun('k6', 'a', 10);
    const path = join(folder, name);
    for (const create of [
      () => execFileSync('mkfifo', [path]),
      () => symlinkSync('/dev/zero', path),
      () => mkdirSync(path),
    ]) {
      rmSync(path, { recursive: true });
      create();
      const { code, stderr } = await merge(folder);
      expect([code, stderr]).toEqual([2, expect.stringMatching(/is not a regular file/)]);
      expect(stderr).toContain(path);
    }
  },
);
