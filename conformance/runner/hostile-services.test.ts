import { expect, test } from 'vitest';
import { type Service, SILENCE } from '../client/in-process.testing.ts';
import { judgeService } from './judge-service.testing.ts';
import type { RunOptions } from './run-options.ts';
import { exitCodeOf } from './verdict.ts';

async function judge(service: Service, options: Partial<RunOptions> = {}) {
  const { report } = await judgeService(service, options);
  expect(report.rules.filter(({ why }) => why?.includes('itself failed'))).toEqual([]);
  const failed = report.rules.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id);
  return { report, failed, exitCode: exitCodeOf(report) };
}

test('a service that is silent -> exit code 1, after a few requests', async () => {
  const { report, failed, exitCode } = await judge(() => SILENCE);
  expect(exitCode).toBe(1);
  expect(failed).toContain('endpoint/answers');
  expect(report.requests).toBeLessThan(60);
});

test('404 to everything -> exit code 1, with the question whether the URL is right', async () => {
  const { report, exitCode } = await judge(() => ({ status: 404, body: 'not here' }));
  expect(exitCode).toBe(1);
  expect(report.reason).toMatch(/No reply had status 200: is the URL right, and the key valid\?/);
});

test('a refused connection -> exit code 3, one sentence, after one request', async () => {
  const message = 'service.example refused the connection';
  const { report, exitCode } = await judge(() => ({ kind: 'no-reply', cause: 'refused', message }));
  expect(exitCode).toBe(3);
  expect(report).toMatchObject({
    reason: `The service could not be reached: ${message}.`,
    requests: 1,
  });
});
