import { expect, test } from 'vitest';
import { type Service, SILENCE } from '../client/in-process.testing.ts';
import { judgeService } from './judge-service.testing.ts';
import type { RunOptions } from './run-options.ts';
import { tinyAnswer } from './tiny-service.testing.ts';
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

test('/chainInfo that is silent -> plans are still requested and judged', async () => {
  const { report } = await judge((url) =>
    url.pathname.endsWith('/chainInfo') ? SILENCE : tinyAnswer(url),
  );
  const [answers, acyclic] = ['endpoint/answers', 'plan/acyclic'].map((id) =>
    report.rules.find((rule) => rule.id === id),
  );
  expect(answers?.outcome).toBe('fail');
  expect(acyclic).toMatchObject({ outcome: 'pass', checks: expect.any(Number) });
  expect(report.requests).toBeGreaterThan(200);
});

test('5,000 chains -> requests only the first 200, and the report counts the others', async () => {
  const chains = Array.from({ length: 5_000 }, (_, index) => ({ chainId: index + 1, name: 'C' }));
  const requested = new Set<string | null>();
  const { report } = await judge(
    (url) => {
      requested.add(url.searchParams.get('chainId'));
      return url.pathname.endsWith('/chains') ? { body: chains } : tinyAnswer(url);
    },
    { only: ['lookups/every-chain'] },
  );
  expect(report.notJudged.map(({ why }) => why)).toContainEqual(
    expect.stringMatching(/^4800 of the chains that \/chains lists/),
  );
  // The first 200, and requests for /chains, which name no chain.
  expect(requested.size).toBe(201);
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
