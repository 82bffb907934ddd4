import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Middleware } from 'koa';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { type RunningReference, startReference } from '../reference/server/start.ts';
import { prepareJudge } from '../scripts/load-judge.ts';
import { createLoadCommand } from './command.ts';
import { createCompareCommand } from './compare/command.ts';
import type { LoadResult } from './report/load-result.ts';

const KEY = 'a key/with+signs&more';
const folder = mkdtempSync(join(tmpdir(), 'load-command-'));
let reference: RunningReference;
beforeAll(async () => {
  reference = await startReference({ apiKeys: [KEY] });
});
afterAll(async () => {
  await reference.close();
  rmSync(folder, { recursive: true });
});
const running: RunningReference[] = [];
afterEach(async () => {
  for (const each of running.splice(0)) await each.close();
});

/** Runs a command in this process; returns its exit code, output and JSON report. */
async function play(command: 'load' | 'compare', args: readonly string[]) {
  const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const err = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const before = process.exitCode;
  process.exitCode = undefined;
  const deps = {
    version: '0.0.0',
    prepareJudge,
    startSubject: async () => ({ url: reference.url, apiKey: KEY, close: async () => {} }),
  };
  let code: unknown;
  try {
    const made = command === 'load' ? createLoadCommand(deps) : createCompareCommand(deps);
    await made.exitOverride().parseAsync(args, { from: 'user' });
    code = process.exitCode ?? 0;
  } catch (error) {
    code = (error as { exitCode?: number }).exitCode;
    if (code === undefined) throw error;
  } finally {
    process.exitCode = before;
  }
  const text = out.mock.calls.join('') + err.mock.calls.join('');
  out.mockRestore();
  err.mockRestore();
  return { code, text };
}

const report = (name: string): string => join(folder, name);
const readResult = (name: string): LoadResult => JSON.parse(readFileSync(report(name), 'utf8'));
// Other tests share this machine: the client's own figures say nothing here.
const CALM = ['--max-client-lag', '60000', '--threshold', 'rate>0%', '--api-key', KEY];
const SHORT = ['--rate', '60', '--duration', '3', '--connections', '20', ...CALM];

describe('swapcheck load', () => {
  test('--print-profile -> the resolved profile as YAML, nothing sent', async () => {
    const { code, text } = await play('load', [
      '--profile',
      'steady',
      '--rate',
      '9',
      '--threshold',
      'p99<5',
      '--print-profile',
    ]);
    expect(code).toBe(0);
    expect(parse(text)).toMatchObject({
      name: 'steady',
      workload: { stages: [{ rate: 9 }] },
      thresholds: [
        { metric: 'wrong' },
        { metric: 'errors' },
        { metric: 'rate' },
        { metric: 'p99', max: 5 },
      ],
    });
  });

  test.each([
    [['--profile', 'no-such']],
    [['--threshold', 'p98<1']],
    [['--rate', '0']],
    [['--profile', 'closed', '--rate', '5']],
    [['--report', 'pdf']],
    [['ftp://127.0.0.1']],
    [['export', '--engine', 'gatling', '--out', 'x']],
    [['export', '--engine', 'k6', '--out', folder, '--profile', 'closed']],
  ])('%j -> used wrongly: 2 or a commander error', async (args) => {
    const { code } = await play('load', args);
    expect([1, 2]).toContain(code);
  });

  test('nothing listens -> 3, in words', async () => {
    const { code, text } = await play('load', ['http://127.0.0.1:9', ...SHORT]);
    expect(code).toBe(3);
    expect(text).toContain('http://127.0.0.1:9/ cannot be loaded');
  });

  test('the reference -> every kind of request, every reply right, the key nowhere', async () => {
    const formats = ['json', 'text', 'markdown', 'junit', 'html'];
    const { code, text } = await play('load', [
      reference.url,
      ...SHORT,
      '--metrics',
      '0',
      ...formats.flatMap((format) => ['--report', `${format}=${report(`ok.${format}`)}`]),
    ]);
    const result = readResult('ok.json');
    expect(result.reason).toContain('thresholds held');
    expect(code).toBe(0);
    expect(result.leftOut).toEqual([]);
    expect(result.endpoints.map(({ name }) => name)).toContain('swap native-sell calldata');
    expect(result.sent).toBe(180);
    expect(result.samples).toMatchObject({ judged: 180, wrong: 0 });
    expect(result.endpoints.find(({ name }) => name === 'invalid')?.statuses).toEqual({
      400: result.endpoints.find(({ name }) => name === 'invalid')?.requests,
    });
    expect(text).toMatch(/Metrics on http:\/\/127\.0\.0\.1:\d+\/metrics/);
    for (const format of formats) {
      const written = readFileSync(report(`ok.${format}`), 'utf8');
      expect(written).not.toContain(KEY);
      expect(written).not.toContain(encodeURIComponent(KEY));
    }
  });

  test('a plan that leaks under load alone -> 1, with its rule and its reply', async () => {
    let swaps = 0;
    const leak: Middleware = async (ctx, next) => {
      await next();
      if (ctx.path !== '/api/v1.0/swap' || ctx.status !== 200) return;
      swaps += 1;
      // Discovery and the search for amounts are over by then.
      if (swaps < 400 || swaps % 5 !== 0) return;
      const plan = JSON.parse(String(ctx.body));
      plan.sell.amount = String(BigInt(plan.sell.amount) + 1000n);
      ctx.body = JSON.stringify(plan);
    };
    const leaky = await startReference({ apiKeys: [KEY], middleware: [leak] });
    running.push(leaky);
    const { code } = await play('load', [
      leaky.url,
      ...CALM,
      '--rate',
      '150',
      '--duration',
      '5',
      '--chain',
      '31337',
      '--report',
      `json=${report('leak.json')}`,
    ]);
    const { samples, thresholds } = readResult('leak.json');
    expect(code).toBe(1);
    expect(samples.wrong).toBeGreaterThan(0);
    expect(samples.findings.map(({ rule }) => rule).join(' ')).toMatch(/conserv|sell/);
    expect(samples.findings[0]?.target).toContain('apiKey=$SWAPCHECK_API_KEY');
    expect(samples.findings[0]?.excerpt).toContain('"routes"');
    expect(thresholds.find(({ metric }) => metric === 'wrong')?.held).toBe(false);
  });

  test('a crossed threshold -> 1, naming which and by how much', async () => {
    const { code, text } = await play('load', [reference.url, ...SHORT, '--threshold', 'p50<0.01']);
    expect(code).toBe(1);
    expect(text).toMatch(
      /FAILED: p50 of all requests is [\d.]+ ms: at most 0.01 ms allowed, crossed by/,
    );
  });

  test('a search -> the highest rate that holds, and the bracket', async () => {
    const { code } = await play('load', [
      reference.url,
      ...CALM,
      '--profile',
      'breakpoint',
      '--rate',
      '20',
      '--duration',
      '1',
      '--connections',
      '4',
      '--threshold',
      'p99<100000',
      '--threshold',
      'rate>200%',
      '--report',
      `json=${report('search.json')}`,
    ]);
    const { breakpoint } = readResult('search.json');
    expect(code).toBe(1);
    expect(breakpoint?.steps.map(({ rate }) => rate)).toEqual([20, 20]);
    expect(breakpoint?.highestHeld).toBeUndefined();
  });
});

describe('swapcheck compare --interleave', () => {
  test('a service and itself -> rounds in turns, no regression', async () => {
    const { code, text } = await play('compare', [
      reference.url,
      reference.url,
      '--interleave',
      '2',
      ...SHORT,
      '--duration',
      '1',
      '--chain',
      '31337',
      '--fail-if',
      'p99>1000%',
    ]);
    expect(text).toContain('Round 2 of 2');
    expect(text).toMatch(/no regression beyond the bounds/);
    expect(code).toBe(0);
  });
});

describe('SIGINT', () => {
  test('once -> every report, 3', async () => {
    const child = spawn(
      process.execPath,
      [
        '--import',
        'tsx',
        'scripts/swapcheck.ts',
        'load',
        reference.url,
        '--profile',
        'soak',
        '--api-key',
        KEY,
        '--report',
        `json=${report('cut.json')}`,
        '--report',
        `html=${report('cut.html')}`,
      ],
      { cwd: new URL('..', import.meta.url), stdio: ['ignore', 'ignore', 'pipe'] },
    );
    let said = '';
    child.stderr.on('data', (chunk) => {
      said += chunk;
      if (/of 3600 s/.test(said)) child.kill('SIGINT');
    });
    const code = await new Promise((resolve) => child.once('exit', resolve));
    expect(code).toBe(3);
    expect(readResult('cut.json')).toMatchObject({
      verdict: 'incomplete',
      reason: 'the run was ended early',
    });
    expect(readFileSync(report('cut.html'), 'utf8')).toContain('incomplete');
  });
});
