import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Middleware } from 'koa';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { type RunningReference, startReference } from '../../reference/server/start.ts';
import { prepareJudge } from '../../scripts/load-judge.ts';
import type { LoadResult } from '../model/load-result.ts';
import { createCompareCommand } from './compare-command.ts';
import { createLoadCommand } from './load-command.ts';

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
    compareReports: () => Promise.reject(new Error('not of load')),
    startSubject: async () => ({ url: reference.url, apiKey: KEY, close: async () => {} }),
  };
  let code: unknown;
  try {
    const made = command === 'load' ? createLoadCommand(deps) : createCompareCommand(deps);
    await made.exitOverride().parseAsync(args, { from: 'user' });
    code = process.exitCode ?? 0;
  } catch (error) {
    const { exitCode, name, message } = error as Error & { exitCode?: number };
    code = name === 'UsageError' ? 2 : exitCode;
    if (code === undefined) throw error;
    process.stderr.write(message);
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
    [['--profile', 'no-such'], 'is no profile: expected one of smoke'],
    [['--threshold', 'p98<1'], "'p98<1' is no threshold"],
    [['--threshold', 'swapp:p99<1'], 'which the mix does not ask for'],
    [['--rate', '0'], 'Expected a number above 0'],
    [['--rate', '1e9'], 'Expected a number above 0'],
    [['--rate', '2000000'], 'must be <= 1000000'],
    [['--profile', 'closed', '--rate', '5'], 'a closed workload has no rate'],
    [['--profile', 'closed', '--threshold', 'rate>9%'], 'a closed workload has none'],
    [['--processes', '4', '--connections', '3'], 'at least one for each of the 4 processes'],
    [['--metrics', '65536'], 'Expected a whole number from 0 to 65535'],
    [['--report', 'pdf'], 'there is no format "pdf"'],
    [['ftp://127.0.0.1'], 'expected an http or https URL'],
    [['http://user:word@127.0.0.1'], 'without user, query or fragment'],
    [['export', '--engine', 'gatling', '--out', 'x'], 'Allowed choices are locust, k6'],
    [['export', '--engine', 'k6', '--out', folder, '--profile', 'closed'], 'cannot be exported'],
  ])('%j -> used wrongly, saying what was expected', async (args, words) => {
    const { code, text } = await play('load', args);
    expect([1, 2]).toContain(code);
    expect(text).toContain(words);
  });

  test('a port or a folder that is taken -> used wrongly', async () => {
    const { port } = new URL(reference.url);
    const metrics = await play('load', [reference.url, ...SHORT, '--metrics', port]);
    expect(metrics.code).toBe(2);
    expect(metrics.text).toContain('EADDRINUSE');
    const file = report('a-file');
    writeFileSync(file, '');
    const out = ['--engine', 'k6', '--out', join(file, 'x'), '--chain', '31337'];
    const { code, text } = await play('load', ['export', reference.url, '--api-key', KEY, ...out]);
    expect([code, text]).toEqual([2, expect.stringContaining('cannot be written')]);
  });

  test('nothing listens -> 3, in words, and a report that says so', async () => {
    const { code, text } = await play('load', [
      'http://127.0.0.1:9',
      ...SHORT,
      '--report',
      `json=${report('none.json')}`,
      '--report',
      `junit=${report('none.xml')}`,
    ]);
    expect(code).toBe(3);
    expect(text).toContain('http://127.0.0.1:9/ cannot be loaded');
    expect(readResult('none.json')).toMatchObject({
      verdict: 'incomplete',
      reason: expect.stringContaining('cannot be loaded'),
      sent: 0,
    });
    expect(readFileSync(report('none.xml'), 'utf8')).toContain('errors="1"');
  });

  test('a chain that is not served, or no pair that trades -> 3, before any load', async () => {
    const chain = await play('load', [reference.url, ...SHORT, '--chain', '424242']);
    expect(chain.code).toBe(3);
    expect(chain.text).toContain(
      'chain 424242 cannot be asked for: the service names 31337, 31338',
    );
    const refuse: Middleware = async (ctx, next) => {
      await next();
      if (ctx.path === '/api/v1.0/swap') ctx.status = 400;
    };
    const shut = await startReference({ apiKeys: [KEY], middleware: [refuse] });
    running.push(shut);
    const { code, text } = await play('load', [shut.url, ...SHORT, '--chain', '31337']);
    expect([code, text]).toEqual([3, expect.stringContaining('no pair was answered with a plan')]);
  });

  test('no URL -> the service that is started here, with its own key', async () => {
    const { code, text } = await play('load', [
      ...SHORT,
      '--api-key',
      'the key of another service',
      '--chain',
      '31337',
    ]);
    expect(text).toContain('the reference, in a process of its own on this machine');
    expect(code).toBe(0);
  });

  test('a wrong key -> 3, with what the service says of it', async () => {
    const { code, text } = await play('load', [reference.url, ...SHORT, '--api-key', 'wrong-key']);
    expect(code).toBe(3);
    expect(text).toMatch(/answered \/chains with 400: \{"error":"UNKNOWN_API_KEY"/);
    expect(text).not.toContain('wrong-key');
  });

  test('a client later than allowed -> invalid, told loudly, 3', async () => {
    const { code, text } = await play('load', [
      reference.url,
      ...SHORT,
      '--chain',
      '31337',
      '--max-client-lag',
      '0',
      '--report',
      `json=${report('late.json')}`,
      '--report',
      `junit=${report('late.xml')}`,
    ]);
    expect(code).toBe(3);
    expect(text).toMatch(/INVALID: the client fell behind its own schedule: 1 % of the requests/);
    expect(text).toContain(`Wrote ${report('late.json')}, ${report('late.xml')}`);
    const { verdict, reason, client } = readResult('late.json');
    expect(verdict).toBe('invalid');
    expect(reason).toContain('although a connection was free');
    expect(client.lagP99Ms).toBeGreaterThan(0);
    expect(readFileSync(report('late.xml'), 'utf8')).toMatch(/<error[^>]*type="invalid"/);
  });

  test.each([
    ['hangs', 'timeout', () => new Promise<void>(() => {})],
    ['resets', 'reset', (socket: Socket) => void socket.resetAndDestroy()],
    ['talks nonsense', 'protocol', (socket: Socket) => void socket.write('what?\r\n\r\n')],
  ])('a service that %s in the middle -> 1, counted as %s', async (how, kind, spoil) => {
    let isWell = true;
    const turn: Middleware = async (ctx, next) => {
      if (isWell) return next();
      ctx.respond = false;
      await spoil(ctx.req.socket);
    };
    const failing = await startReference({ apiKeys: [KEY], middleware: [turn] });
    running.push(failing);
    const file = `${how.replaceAll(' ', '-')}.json`;
    const played = play('load', [
      failing.url,
      ...SHORT,
      '--chain',
      '31337',
      '--timeout',
      '500',
      '--metrics',
      '0',
      '--report',
      `json=${report(file)}`,
    ]);
    // The line on the metrics comes first, then discovery, then a line of the run.
    const err = vi.mocked(process.stderr.write);
    await vi.waitFor(() => expect(err.mock.calls.join('')).toContain(' of 3 s'), 20_000);
    isWell = false;
    const { code, text } = await played;
    const { endpoints, thresholds } = readResult(file);
    expect(code).toBe(1);
    expect(text).toMatch(/FAILED: .*errors of all requests is [\d.]+ %/);
    expect(endpoints[0]?.errors[kind]).toBeGreaterThan(10);
    expect(endpoints[0]?.requests).toBe(135);
    const errors = thresholds.find(({ metric }) => metric === 'errors');
    expect(errors?.firstCrossedS).toBeGreaterThanOrEqual(1);
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
    expect(text).toContain('PASSED: no regression beyond p99>1000%');
    expect(code).toBe(0);
  });

  test('a service that does not answer -> 3, before the other is loaded', async () => {
    const { code, text } = await play('compare', [
      ...[reference.url, 'http://127.0.0.1:9', '--interleave', '2', '--chain', '31337'],
      ...SHORT,
      '--report',
      `json=${report('half.json')}`,
    ]);
    expect(code).toBe(3);
    expect(text).not.toContain('Round 1');
    expect(JSON.parse(readFileSync(report('half.json'), 'utf8'))).toMatchObject({
      verdict: 'incomplete',
      reason: expect.stringContaining('http://127.0.0.1:9/ cannot be loaded'),
      base: { target: `${reference.url}/` },
    });
  });
});

describe('a signal', () => {
  /** Spawns `swapcheck load` as the leader of a group and acts once it has said the cue; resolves to its exit code. */
  const interrupt = async (
    args: readonly string[],
    cue: RegExp,
    act: (child: ChildProcess) => void,
  ): Promise<{ readonly code: number | null; readonly said: string }> => {
    const child = spawn(
      process.execPath,
      [
        ...['--import', 'tsx', 'scripts/swapcheck.ts', 'load', ...args],
        ...['--max-client-lag', '60000'],
      ],
      {
        cwd: new URL('../..', import.meta.url),
        stdio: ['ignore', 'ignore', 'pipe'],
        detached: true,
      },
    );
    let said = '';
    let acted = false;
    child.stderr.on('data', (chunk) => {
      said += chunk;
      if (acted || !cue.test(said)) return;
      acted = true;
      act(child);
    });
    const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
    return { code, said };
  };
  const theReference = (): string[] => [reference.url, '--api-key', KEY];

  test.each([
    ['SIGINT', 'in discovery', ['--profile', 'steady'], /Discovering/, 'before it began'],
    ['SIGTERM', 'in the warm-up', ['--profile', 'soak'], /of 3600 s/, 'ended early'],
    [
      'SIGINT',
      'in a search',
      ['--profile', 'breakpoint', '--duration', '2'],
      /step 2 at/,
      'ended early',
    ],
  ] as const)('%s, %s -> every report, 3', async (signal, when, flags, cue, reason) => {
    const name = when.replaceAll(' ', '-');
    const reports = ['json', 'html', 'junit', 'markdown'].flatMap((format) => [
      '--report',
      `${format}=${report(`${name}.${format}`)}`,
    ]);
    const { code, said } = await interrupt(
      [...theReference(), ...flags, ...reports],
      cue,
      (child) => void child.kill(signal),
    );
    expect(code, said).toBe(3);
    const result = readResult(`${name}.json`);
    expect(result).toMatchObject({
      verdict: 'incomplete',
      reason: expect.stringContaining(reason),
    });
    expect(result.breakpoint?.lowestCrossed).toBeUndefined();
    expect(readFileSync(report(`${name}.html`), 'utf8')).toContain('incomplete');
    expect(readFileSync(report(`${name}.junit`), 'utf8')).toContain('errors="1"');
    expect(readFileSync(report(`${name}.markdown`), 'utf8')).toContain('⚠️');
  });

  test('SIGTERM in the run, to the service and the clients too -> they answer and report, 3', async () => {
    const { code, said } = await interrupt(
      [
        '--warm-up',
        '0',
        '--processes',
        '2',
        '--profile',
        'steady',
        '--report',
        `json=${report('group.json')}`,
      ],
      /[2-9] of 60 s/,
      ({ pid = 0 }) => void process.kill(-pid, 'SIGTERM'),
    );
    expect(code, said).toBe(3);
    const { reason, endpoints } = readResult('group.json');
    expect(reason).toContain('ended early');
    expect(endpoints[0]).toMatchObject({ errors: {} });
    expect(endpoints[0]?.requests).toBeGreaterThan(0);
  });

  test('a second one -> ends the process at once, 143', async () => {
    const { code, said } = await interrupt(
      [...theReference(), '--profile', 'steady'],
      /[1-9] of 60 s/,
      (child) => {
        child.kill('SIGINT');
        child.kill('SIGTERM');
      },
    );
    expect(code, said).toBe(143);
  });
});
