import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { Middleware } from 'koa';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { PROGRAM } from '../../fixtures/testing/built-program.testing.ts';
import { runCommand } from '../../fixtures/testing/run-command.testing.ts';
import { serve } from '../../fixtures/testing/tiny-server.testing.ts';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';
import { type RunningReference, startReference } from '../../reference/server/app.ts';
import { SMALL_MARKET } from '../../reference/server/small-market.testing.ts';
import { prepareJudge } from '../../scripts/cli/load-judge.ts';
import { EXPORT_TARGETS } from '../distributed/export-targets.ts';
import { runOrder, type StartClients } from '../engine/client.ts';
import type { LoadResult } from '../model/load-result.ts';
import { loadProfile } from '../profiles/load-profile.ts';
import { LOAD_FORMATS } from '../report/formats.ts';
import type { PrepareJudge } from '../result/sample-judge.ts';
import { createCompareCommand } from './compare-command.ts';
import { createLoadCommand } from './load-command.ts';

const KEY = 'a key/with+signs&more';
const running: RunningReference[] = [];
afterEach(async () => {
  for (const each of running.splice(0)) await each.close();
});
async function startSmall(inRun: Middleware = (_ctx, next) => next()): Promise<RunningReference> {
  // Only discovery accepts compressed replies.
  const turn: Middleware = (ctx, next) =>
    ctx.headers['accept-encoding'] === undefined ? inRun(ctx, next) : next();
  const options = { apiKeys: [KEY], markets: [SMALL_MARKET], middleware: [turn] };
  const started = await startReference(options);
  running.push(started);
  return started;
}
/**
 * Starts a service that leaks an amount in the plans for which `isWrong` holds; numbers start at 1.
 */
function startLeaking(isWrong: (number: number) => boolean): Promise<RunningReference> {
  let plans = 0;
  return startSmall(async (ctx, next) => {
    await next();
    if (ctx.path !== '/api/v1.0/swap' || ctx.status !== 200) return;
    plans += 1;
    if (!isWrong(plans)) return;
    const plan = structuredClone(ctx.body) as { readonly sell: { amount: string } };
    plan.sell.amount = String(BigInt(plan.sell.amount) + 1000n);
    ctx.body = plan;
  });
}
let small: RunningReference;
beforeAll(async () => {
  small = await startSmall();
  running.pop();
});
afterAll(() => small.close());

type RunHelp = {
  readonly subject?: RunningReference;
  readonly onOutput?: (text: string) => void;
  readonly prepareJudge?: PrepareJudge;
  readonly startClients?: StartClients;
};

function run(
  command: 'load' | 'compare',
  args: readonly string[],
  { subject = small, onOutput, ...replaced }: RunHelp = {},
) {
  const deps = {
    prepareJudge,
    startClients: startClientsHere,
    ...replaced,
    compareReports: () => Promise.reject(new Error('not of load')),
    startSubject: async () => ({ url: subject.url, apiKey: KEY, close: async () => {} }),
  };
  const create = command === 'load' ? createLoadCommand : createCompareCommand;
  return runCommand(create(deps), args, onOutput);
}

const { folder, at: report, read, readJson, write } = useFolder();
const readResult = (name: string): LoadResult => readJson(name);
const reports = (...names: readonly string[]) =>
  names.flatMap((name) => ['--report', `${name.replace(/^.*\./, '')}=${report(name)}`]);
const lookups = (name: string) =>
  write(
    'lookups.json',
    JSON.stringify({
      ...{ ...loadProfile(name), warmUpS: 0, mix: [{ request: 'tokens', weight: 1 }] },
    }),
  );
// Other tests run on this machine, so the client's lag must not affect the verdict.
const CALM = ['--max-client-lag', '60000', '--threshold', 'rate>0%', '--api-key', KEY];
const SHORT = ['--rate', '120', '--duration', '0.5', '--connections', '20', ...CALM];

describe('swapcheck load', () => {
  test('--print-profile -> the resolved profile as YAML, and nothing is sent', async () => {
    const { code, text } = await run('load', [
      ...['--profile', 'steady', '--rate', '9', '--threshold', 'p99<5', '--print-profile'],
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
    [['--profile', 'no-such'], 'is not a profile: expected one of smoke'],
    [['--threshold', 'p98<1'], "'p98<1' is not a threshold"],
    [['--threshold', 'swapp:p99<1'], 'which is not in the mix'],
    [['--rate', '0'], 'Expected a number above 0'],
    [['--rate', '1e9'], 'Expected a number above 0'],
    [['--duration', '2000000000'], 'Expected a number above 0, at most 1000000000'],
    [['--threshold', 'errors<1'], "'errors<1' is not a threshold: expected a share"],
    [['--rate', '2000000'], 'must be <= 1000000'],
    [['--profile', 'closed', '--rate', '5'], 'a closed workload has no rate'],
    [['--profile', 'closed', '--threshold', 'rate>9%'], 'the connections set the pace'],
    [['--processes', '4', '--connections', '3'], 'at least one for each of the 4 processes'],
    [['--metrics', '65536'], 'Expected a whole number from 0 to 65535'],
    [['--report', 'pdf'], 'There is no format "pdf"'],
    [['--judge', 'most'], 'Allowed choices are sample, all'],
    [['--proxy', 'http://127.0.0.1:3128'], 'would measure the proxy'],
    [['ftp://127.0.0.1'], 'expected an http or https URL'],
    [['exprot'], "did you mean 'export'?"],
    [['http://user:word@127.0.0.1'], "BASE_URL 'http://***@127.0.0.1': expected"],
    [
      ['export', '--engine', 'gatling', '--out', 'x'],
      `Allowed choices are ${Object.keys(EXPORT_TARGETS).join(', ')}`,
    ],
    [['export', '--engine', 'k6', '--out', folder, '--profile', 'closed'], 'cannot be exported'],
  ])('%j -> usage error with the expected value', async (args, words) => {
    const { code, text } = await run('load', args);
    expect([1, 2]).toContain(code);
    expect(text).toContain(words);
  });

  test('a service with custom router names -> passes if --router-name maps them', async () => {
    const renameRouters: Middleware = async (ctx, next) => {
      ctx.req.url = ctx.req.url?.replace(/router=fast(?=&|$)/, 'router=default-router');
      await next();
      ctx.body = JSON.parse(JSON.stringify(ctx.body).replaceAll('default-router', 'fast'));
    };
    const markets = [SMALL_MARKET];
    const subject = await startReference({ apiKeys: [KEY], markets, middleware: [renameRouters] });
    running.push(subject);
    const named = ['--router-name', 'default-router=fast'];
    const { code, text } = await run('load', [subject.url, ...SHORT, ...named]);
    expect(code, text).toBe(0);
  });

  describe('a swapcheck.yaml', () => {
    const working = process.cwd();
    afterEach(() => process.chdir(working));
    const configure = (text: string) => {
      write('swapcheck.yaml', text);
      process.chdir(folder);
    };

    test('with a URL -> that service is load-tested, with its options; with --no-config -> the built-in service', async () => {
      configure(`url: ${small.url}\ntimeout: 9000\nprofile: quick\nproxy: http://127.0.0.1:9`);
      const { code, text } = await run('load', [...SHORT, ...reports('configured.json')]);
      expect(code, text).toBe(0);
      expect(text).toContain('Options are read from swapcheck.yaml (--no-config ignores it).');
      const { target, profile, service } = readResult('configured.json');
      expect([target, profile.timeoutMs]).toEqual([`${small.url}/`, 9000]);
      expect([profile.name, service?.kind]).toEqual(['smoke', 'other']);
      const other = await run('load', ['--no-config', ...SHORT, ...reports('built-in.json')]);
      expect(other.text).toContain('No BASE_URL: the built-in reference service');
      expect(readResult('built-in.json')).toMatchObject({ service: { kind: 'child' } });
    });

    test('with a URL and options, when the command line has others -> the command line takes precedence', async () => {
      configure('url: http://127.0.0.1:9\ntimeout: 1');
      const flags = ['--timeout', '8000', ...reports('named.json')];
      const { code, text } = await run('load', [small.url, ...SHORT, ...flags]);
      expect(code, text).toBe(0);
      const { target, profile } = readResult('named.json');
      expect([target, profile.timeoutMs]).toEqual([`${small.url}/`, 8000]);
    });

    test('that --config names, without a URL -> usage error, also in load export', async () => {
      const path = write('options.yaml', 'timeout: 9000');
      const out = ['--engine', 'k6', '--out', folder];
      for (const args of [
        ['--config', path],
        ['export', ...out, '--config', path],
      ]) {
        const { code, text } = await run('load', args);
        expect(code).toBe(2);
        expect(text).toContain(`--config ${path}: a BASE_URL is required`);
      }
    });

    test('that starts a service -> started for the run, and stopped', async () => {
      const { url: free, close } = await serve(() => {});
      await close();
      const answer = "(request, response) => response.end('[]')";
      const script = `require('node:http').createServer(${answer}).listen(${new URL(free).port})`;
      configure(`url: ${free}\nstart: ${JSON.stringify(`"${process.execPath}" -e "${script}"`)}`);
      const { code, text } = await run('load', SHORT);
      expect(code, text).toBe(3);
      expect(text).toContain('INVALID: cannot load-test');
      expect(text).toContain('The output of the service is in reports/service.log');
      await expect(fetch(free)).rejects.toThrow('fetch failed');
    });

    test('that starts no service -> exit code 3, and reports that state the reason', async () => {
      const { url: free, close } = await serve(() => {});
      await close();
      configure(`url: ${free}\nstart: echo no database; exit 7`);
      const { code, text } = await run('load', [...SHORT, ...reports('not-started.json')]);
      const reason = expect.stringContaining('ended with 7');
      expect([code, text]).toEqual([3, reason]);
      expect(readResult('not-started.json')).toMatchObject({ verdict: 'incomplete', reason });
      const out = ['--engine', 'k6', '--out', report('not-started')];
      const exported = await run('load', ['export', ...out]);
      expect([exported.code, exported.text]).toEqual([3, reason]);
    });
  });

  test('a service that requires a header -> --header is sent with every request and appears in no output', async () => {
    const secret = 'token-a1b2c3d4e5';
    const requireHeader: Middleware = async (ctx, next) => {
      if (ctx.get('x-token') === secret) await next();
      else ctx.throw(403, `not ${secret}`);
    };
    const markets = [SMALL_MARKET];
    const subject = await startReference({ apiKeys: [KEY], markets, middleware: [requireHeader] });
    running.push(subject);
    const files = reports('header.json', 'header.html');
    const header = ['--header', `X-Token: ${secret}`];
    const { code, text } = await run('load', [subject.url, ...SHORT, ...header, ...files]);
    expect(code, text).toBe(0);
    for (const shown of [text, read('header.json'), read('header.html')]) {
      expect(shown).not.toContain(secret);
    }
  });

  test('a port in use, a file instead of the folder -> usage error', async () => {
    const { port } = new URL(small.url);
    const metrics = await run('load', [small.url, ...SHORT, '--metrics', port]);
    expect(metrics.code).toBe(2);
    expect(metrics.text).toContain('EADDRINUSE');
    const out = ['--engine', 'k6', '--out', join(write('a-file', ''), 'x')];
    const { code, text } = await run('load', ['export', small.url, '--api-key', KEY, ...out]);
    expect([code, text]).toEqual([2, expect.stringContaining('cannot be written')]);
  });

  test('nothing listens -> exit code 3, and the reports show why', async () => {
    const files = reports('none.json', 'none.junit');
    const { code, text } = await run('load', ['http://127.0.0.1:9', ...SHORT, ...files]);
    expect(code).toBe(3);
    expect(text).toContain('cannot load-test http://127.0.0.1:9/');
    expect(readResult('none.json')).toMatchObject({
      verdict: 'incomplete',
      reason: expect.stringContaining('cannot load-test'),
      sent: 0,
    });
    expect(read('none.junit')).toContain('errors="1"');
  });

  test('a redirect -> exit code 3, and its target is shown without the key', async () => {
    const { url, close } = await serve(({ url: target }, response) => {
      response.writeHead(308, { location: `https://other.example${target}` }).end();
    });
    const { code, text } = await run('load', [url, ...SHORT]);
    await close();
    expect(code).toBe(3);
    expect(text).toMatch(
      /replied to \/chains with 308, a redirect to https:\/\/other\.example\/api\/v1\.0\/chains\?apiKey=\$SWAPCHECK_API_KEY$/m,
    );
  });

  const startStrict = async (middleware: Middleware) => {
    const markets = [SMALL_MARKET];
    const subject = await startReference({ apiKeys: [KEY], markets, middleware: [middleware] });
    running.push(subject);
    return subject;
  };
  const rejectForRate = (ctx: Parameters<Middleware>[0], retryAfterS: number) => {
    ctx.set('retry-after', String(retryAfterS));
    ctx.status = 429;
    return Promise.resolve();
  };
  const CALLDATA_MIX = ['swap calldata', 'swap native-sell calldata'];

  test('429 to the first request of each kind in discovery -> discovery repeats it, and the run requests every kind', async () => {
    const seen = new Set<string>();
    const subject = await startStrict((ctx, next) => {
      const isSeen = seen.has(ctx.url) || !ctx.url.includes('includeCalldata');
      seen.add(ctx.url);
      return isSeen ? next() : rejectForRate(ctx, 0);
    });
    const { code, text } = await run('load', [
      ...[subject.url, ...SHORT, '--threshold', 'errors<90%', ...reports('limited.json')],
    ]);
    const { omitted, endpoints } = readResult('limited.json');
    expect(code, text).toBe(0);
    expect(text).toContain('the service limits the rate: discovery waits for it');
    expect(omitted).toEqual([]);
    expect(endpoints.map(({ name }) => name)).toEqual(expect.arrayContaining(CALLDATA_MIX));
  });

  test('429 to every request for calldata in discovery -> invalid with the reason, and no run', async () => {
    const subject = await startStrict((ctx, next) =>
      ctx.url.includes('includeCalldata') ? rejectForRate(ctx, 3600) : next(),
    );
    const { code, text } = await run('load', [subject.url, ...SHORT, ...reports('no-mix.json')]);
    expect(code).toBe(3);
    expect(text).toContain('its mix could not be built: the service limits the rate: 429');
    expect(readResult('no-mix.json')).toMatchObject({ verdict: 'invalid', sent: 0 });
  });

  test('a server error to every request for calldata in discovery -> invalid, with the kind and the errors', async () => {
    const subject = await startStrict((ctx, next) => {
      if (!ctx.url.includes('includeCalldata')) return next();
      ctx.status = 500;
      return Promise.resolve();
    });
    const { code, text } = await run('load', [subject.url, ...SHORT, ...reports('no-mix.json')]);
    expect(code).toBe(3);
    expect(text).toMatch(
      /no request was found for 'swap calldata'; \d+ requests of discovery failed: status 500 \(\d+\)\. Repeat the run, or remove it from the mix/,
    );
    expect(readResult('no-mix.json')).toMatchObject({ verdict: 'invalid', sent: 0 });
  });

  test('a service without calldata -> passes, and the verdict names the omitted kinds', async () => {
    const subject = await startStrict((ctx, next) => {
      if (!/includeCalldata=true.*Tolerance=0/.test(ctx.url)) return next();
      ctx.status = 400;
      ctx.body = { error: 'INVALID_REQUEST', message: 'no calldata' };
      return Promise.resolve();
    });
    const { code, text } = await run('load', [subject.url, ...SHORT, ...reports('plain.json')]);
    expect(code, text).toBe(0);
    const { omitted, reason } = readResult('plain.json');
    expect(omitted).toEqual(
      CALLDATA_MIX.map((kind) => `${kind}: this service does not support such requests`),
    );
    expect(reason).toBe(`all 3 thresholds held; omitted: ${CALLDATA_MIX.join(', ')}`);
  });

  test.each([
    ['403', 403, ''],
    ['430', 430, ''],
    ['an error with status 200', 200, { error: 'BUSY' }],
  ])('%s to every request for calldata -> invalid, not omitted', async (_, status, body) => {
    const subject = await startStrict((ctx, next) => {
      if (!ctx.url.includes('includeCalldata')) return next();
      Object.assign(ctx, { body, status });
      return Promise.resolve();
    });
    const { code, text } = await run('load', [subject.url, ...SHORT]);
    expect(code).toBe(3);
    expect(text).toContain("no request was found for 'swap calldata'");
  });

  test('only one router encodes -> calldata is requested from it', async () => {
    const encoding = /router=(?!universal-router)|^(?!.*router=)/;
    const subject = await startStrict((ctx, next) => {
      if (!ctx.url.includes('includeCalldata') || !encoding.test(ctx.url)) return next();
      ctx.status = 400;
      ctx.body = { error: 'INVALID_REQUEST', message: 'no calldata' };
      return Promise.resolve();
    });
    const { code, text } = await run('load', [subject.url, ...SHORT, ...reports('one.json')]);
    expect(code, text).toBe(0);
    expect(readResult('one.json').omitted).toEqual([]);
  });

  test('a chain that is not served, or no pair that trades -> exit code 3, before the run', async () => {
    const chain = await run('load', [small.url, ...SHORT, '--chain', '424242']);
    expect(chain.code).toBe(3);
    expect(chain.text).toContain('does not serve chain 424242: it serves 31337');
    const market = { ...SMALL_MARKET, pools: [] };
    const shut = await startReference({ apiKeys: [KEY], markets: [market] });
    running.push(shut);
    const { code, text } = await run('load', [shut.url, ...SHORT]);
    expect([code, text]).toEqual([
      3,
      expect.stringContaining('built: no plan was found for any pair'),
    ]);
  });

  test('a wrong key -> exit code 3, with the error message of the service', async () => {
    const { code, text } = await run('load', [small.url, ...SHORT, '--api-key', 'wrong-key']);
    expect(code).toBe(3);
    expect(text).toMatch(/replied to \/chains with 400: \{"error":"UNKNOWN_API_KEY"/);
    expect(text).not.toContain('wrong-key');
  });

  test('a client later than allowed -> invalid in text and reports, exit code 3', async () => {
    const { code, text } = await run('load', [
      ...[small.url, ...SHORT, '--max-client-lag', '0', ...reports('late.json', 'late.junit')],
    ]);
    expect(code).toBe(3);
    expect(text).toMatch(/INVALID: the client fell behind its own schedule: 1% of the requests/);
    expect(text).toContain(`Wrote ${report('late.json')}, ${report('late.junit')}`);
    const { verdict, reason, client } = readResult('late.json');
    expect(verdict).toBe('invalid');
    expect(reason).toContain('while a connection was free');
    expect(client.lagP99Ms).toBeGreaterThan(0);
    expect(read('late.junit')).toMatch(/<error[^>]*type="invalid"/);
  });

  test('a service that hangs, resets and violates HTTP during the run -> exit code 1, and each kind of error is counted', async () => {
    const spoil: ((socket: Socket) => void)[] = [
      () => {},
      (socket) => void socket.resetAndDestroy(),
      (socket) => void socket.write('what?\r\n\r\n'),
    ];
    let requests = 0;
    const failing = await startSmall((ctx, next) => {
      requests += 1;
      if (requests < 20) return next();
      ctx.respond = false;
      spoil[requests % spoil.length]?.(ctx.req.socket);
      return Promise.resolve();
    });
    const { code, text } = await run('load', [
      ...[failing.url, ...SHORT, '--warm-up', '0', '--timeout', '500', ...reports('failing.json')],
    ]);
    const { endpoints, thresholds } = readResult('failing.json');
    expect(code).toBe(1);
    expect(text).toMatch(/FAILED: .*errors of all requests is [\d.]+%/);
    const kinds = Object.keys(endpoints[0]?.errors ?? {}).sort();
    expect(kinds).toEqual(['protocol', 'reset', 'timeout']);
    expect(endpoints[0]?.requests).toBe(60);
    const errors = thresholds.find(({ metric }) => metric === 'errors');
    expect(errors?.firstCrossedS).toBeGreaterThanOrEqual(0);
  });

  test.skipIf(process.platform === 'win32')(
    'more connections than file descriptors -> invalid, and no reset is counted',
    async () => {
      const flags = ['--connections', '400', '--duration', '1'];
      const args = [small.url, '--profile', lookups('closed'), ...flags];
      const child = spawn('/bin/sh', [
        ...['-c', 'ulimit -n 256; exec "$0" "$@"', process.execPath, PROGRAM, 'load'],
        ...[...args, '--api-key', KEY, ...reports('short.json')],
      ]);
      const code = await new Promise((resolve) => child.once('close', resolve));
      const { verdict, reason, endpoints } = readResult('short.json');
      expect({ code, verdict }).toEqual({ code: 3, verdict: 'invalid' });
      expect(reason).toMatch(/requests had no connection, .*could not open more/);
      expect(Object.keys(endpoints[0]?.errors ?? {})).not.toContain('reset');
    },
  );

  test('no URL -> every kind of request to the service started here, all replies correct, no key in any output', async () => {
    const files = Object.keys(LOAD_FORMATS).map((format) => `ok.${format}`);
    // No request is rejected or times out, even on a slow machine.
    const { code, text } = await run('load', [
      ...[...SHORT, '--rate', '360', '--timeout', '120000'],
      ...['--api-key', 'the key of another service', '--metrics', '0'],
      ...reports(...files),
    ]);
    const result = readResult('ok.json');
    expect(result.reason).toContain('thresholds held');
    expect(code).toBe(0);
    expect(result.omitted).toEqual([]);
    expect(result.endpoints.map(({ name }) => name)).toContain('swap native-sell calldata');
    expect(result.sent).toBe(180);
    expect(result.samples.wrong).toBe(0);
    expect(result.samples.judged).toBeGreaterThan(0);
    expect(result.endpoints.find(({ name }) => name === 'invalid')?.statuses).toEqual({
      400: result.endpoints.find(({ name }) => name === 'invalid')?.requests,
    });
    expect(read('ok.text')).toContain('the reference, in a separate process on this machine');
    expect(text).toMatch(/Metrics on http:\/\/127\.0\.0\.1:\d+\/metrics/);
    for (const written of files.map(read)) {
      expect(written).not.toContain(KEY);
      expect(written).not.toContain(encodeURIComponent(KEY));
    }
  });

  test('plans that are wrong only under load -> exit code 1, with the rule and the reply', async () => {
    const leaky = await startLeaking(() => true);
    const { code, text } = await run('load', [
      ...[leaky.url, ...SHORT, '--threshold', 'p50<0.01'],
      ...['--report', 'text', ...reports('leak.json')],
    ]);
    expect(text).toMatch(
      /FAILED: .*p50 of all requests is [\d.]+ ms: at most 0.01 ms allowed, crossed by/,
    );
    const { samples, thresholds } = readResult('leak.json');
    expect(code).toBe(1);
    expect(samples.wrong).toBeGreaterThan(0);
    expect(samples.findings.map(({ rule }) => rule).join(' ')).toMatch(/conserv|sell/);
    expect(samples.findings[0]?.target).toContain('apiKey=$SWAPCHECK_API_KEY');
    expect(samples.findings[0]?.excerpt).toContain('"routes"');
    expect(thresholds.find(({ metric }) => metric === 'wrong')?.held).toBe(false);
  });

  test('one wrong plan in a run with --judge all -> found', async () => {
    const leaky = await startLeaking((number) => number === 7);
    const { code, text } = await run('load', [
      ...[leaky.url, ...SHORT, '--judge', 'all'],
      ...['--report', 'text', ...reports('all.json', 'all.html', 'all.markdown')],
    ]);
    const { samples, sent } = readResult('all.json');
    expect(code, text).toBe(1);
    expect(samples).toMatchObject({ judged: sent, wrong: 1, omitted: 0 });
    expect(samples.findings[0]?.excerpt).toContain('"routes"');
    for (const written of [text, read('all.html'), read('all.markdown')]) {
      expect(written).toContain('100% of all received');
    }
  });

  test('a judge that falls behind with --judge all -> the omitted replies are counted, and the judged share is shown', async () => {
    const { code, text } = await run(
      'load',
      [
        ...[small.url, ...SHORT, '--judge', 'all', '--report', 'text'],
        ...reports('behind.json', 'behind.html', 'behind.markdown'),
      ],
      {
        startClients: (orders, onReport) =>
          startClientsHere(orders, (report) => {
            if (report.kind !== 'samples') return onReport(report);
            onReport({ ...report, samples: [], omitted: report.samples.length });
            onReport({ ...report, samples: report.samples.slice(0, 1), omitted: -1 });
          }),
      },
    );
    const { samples, sent } = readResult('behind.json');
    expect(code, text).toBe(0);
    expect(samples.judged).toBeGreaterThan(0);
    expect(samples.omitted).toBeGreaterThan(0);
    expect(samples.judged + (samples.omitted ?? 0)).toBe(sent);
    const share = Math.floor((1000 * samples.judged) / sent) / 10;
    for (const written of [text, read('behind.html'), read('behind.markdown')]) {
      expect(written).toContain(`${share}% of all received`);
    }
  });

  test('a search whose first rate fails -> the rate is tried twice, and no rate holds', async () => {
    const { code } = await run('load', [
      ...[small.url, ...CALM, '--profile', 'breakpoint'],
      ...['--rate', '20', '--duration', '0.5', '--connections', '4'],
      ...['--threshold', 'p99<0.0001', '--threshold', 'rate>0%'],
      ...reports('search.json'),
    ]);
    const { breakpoint } = readResult('search.json');
    expect(code).toBe(1);
    expect(breakpoint?.steps.map(({ rate }) => rate)).toEqual([20, 20]);
    expect(breakpoint?.highestHeld).toBeUndefined();
  });
});

describe('swapcheck compare --interleave', () => {
  test('--max-time during an hour-long round -> the run ends, incomplete', async () => {
    const timers = vi.spyOn(globalThis, 'setTimeout');
    const spend = () => timers.mock.calls.find(([, ms]) => ms === 1_234_000)?.[0]();
    const { code, text } = await run(
      'compare',
      [
        ...[small.url, small.url, '--interleave', '2', ...SHORT, '--duration', '3600'],
        ...['--max-time', '1234'],
      ],
      { onOutput: (text) => void (/ of 3600 s/.test(text) && spend()) },
    );
    timers.mockRestore();
    expect(code).toBe(3);
    expect(text).toMatch(
      /round 1 of .* is incomplete: the run was ended early: the budget of 1234 s is spent/,
    );
  });

  test('a service compared with itself -> alternating rounds, no regression', async () => {
    const { code, text } = await run('compare', [
      ...[small.url, small.url, '--interleave', '2', ...SHORT],
      // Latencies depend on the machine, but errors do not.
      ...['--fail-if', 'errors>50%'],
    ]);
    expect(text).toContain('Round 2 of 2');
    expect(text).toContain('PASSED: no regression beyond errors>50%');
    expect(code).toBe(0);
  });

  test('a service that does not respond -> exit code 3, before the first round', async () => {
    const { code, text } = await run('compare', [
      ...[small.url, 'http://127.0.0.1:9', '--interleave', '2', ...SHORT, ...reports('half.json')],
    ]);
    expect(code).toBe(3);
    expect(text).not.toContain('Round 1');
    expect(readJson('half.json')).toMatchObject({
      verdict: 'incomplete',
      reason: expect.stringContaining('cannot load-test http://127.0.0.1:9/'),
      base: { target: `${small.url}/` },
    });
  });
});

test('discovery -> reports its progress every few seconds', async () => {
  const timers = vi.spyOn(globalThis, 'setInterval');
  const tick = () => timers.mock.calls.find(([, ms]) => ms === 5_000)?.[0]();
  const { text } = await run('load', [small.url, ...CALM, '--profile', 'soak'], {
    onOutput(text) {
      if (/Discovering/.test(text)) setImmediate(tick);
      if (/replies so far/.test(text)) process.emit('SIGINT', 'SIGINT');
    },
  });
  timers.mockRestore();
  expect(text).toMatch(/^ {2}\d+ replies so far$/m);
});

describe('a signal', () => {
  test.each([
    ['SIGINT', 'in discovery', ['--profile', 'steady'], /Discovering/, 'before it began'],
    ['SIGTERM', 'in the warm-up', ['--profile', 'soak'], /of 3600 s/, 'ended early'],
    ['SIGINT', 'in a search', ['--profile', 'breakpoint'], /step 2 at/, 'ended early'],
  ] as const)('%s, %s -> every report, exit code 3', async (signal, when, flags, cue, reason) => {
    const name = when.replaceAll(' ', '-');
    const files = ['json', 'html', 'junit', 'markdown'].map((format) => `${name}.${format}`);
    const { code, text } = await run(
      'load',
      [
        ...[small.url, ...CALM, ...flags, ...reports(...files)],
        ...['--duration', when === 'in a search' ? '0.5' : '3600'],
      ],
      { onOutput: (text) => void (cue.test(text) && process.emit(signal, signal)) },
    );
    expect(code, text).toBe(3);
    const result = readResult(`${name}.json`);
    expect(result).toMatchObject({
      verdict: 'incomplete',
      reason: expect.stringContaining(reason),
    });
    expect(result.breakpoint?.lowestCrossed).toBeUndefined();
    expect(read(`${name}.html`)).toContain('incomplete');
    expect(read(`${name}.junit`)).toContain('errors="1"');
    expect(read(`${name}.markdown`)).toContain('⚠️');
  });

  test('SIGTERM during --judge all -> every report, with only the replies judged before the signal', async () => {
    let judged = 0;
    const countReply: PrepareJudge = () => () => {
      judged += 1;
      return [];
    };
    const files = ['json', 'html', 'junit', 'markdown'].map((format) => `judging.${format}`);
    const { code, text } = await run(
      'load',
      [
        ...[small.url, ...CALM, '--profile', 'soak', '--judge', 'all', '--rate', '60'],
        ...['--connections', '20', ...reports(...files)],
      ],
      {
        prepareJudge: countReply,
        onOutput(text) {
          if (/ of 3600 s/.test(text) && judged > 0) process.emit('SIGTERM', 'SIGTERM');
        },
      },
    );
    const judgedAtEnd = judged;
    expect(code, text).toBe(3);
    const { verdict, samples, sent } = readResult('judging.json');
    expect(verdict).toBe('incomplete');
    expect(samples).toMatchObject({ judged: judgedAtEnd, omitted: 0 });
    expect(judgedAtEnd).toBeGreaterThan(0);
    expect(judgedAtEnd).toBeLessThanOrEqual(sent);
    for (const file of files.slice(1)) expect(read(file)).toContain('ended early');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(judged).toBe(judgedAtEnd);
  });

  test.each([
    [
      'in discovery',
      /Discovering/,
      'the run was ended before it began: the budget of 1234 s is spent: pass a larger --max-time',
    ],
    ['in the run', / of 9999 s/, 'the run was ended early: the budget of 1234 s is spent'],
  ])('the end of --max-time, %s -> every report, exit code 3', async (_, cue, reason) => {
    const timers = vi.spyOn(globalThis, 'setTimeout');
    const spend = () => timers.mock.calls.find(([, ms]) => ms === 1_234_000)?.[0]();
    const { code } = await run(
      'load',
      [
        ...[small.url, ...CALM, '--profile', 'soak', '--duration', '9999', '--max-time', '1234'],
        ...reports('spent.json', 'spent.junit'),
      ],
      { onOutput: (text) => void (cue.test(text) && spend()) },
    );
    timers.mockRestore();
    expect(code).toBe(3);
    expect(readResult('spent.json')).toMatchObject({ verdict: 'incomplete', reason });
    expect(read('spent.junit')).toContain(reason);
  });

  test('a second signal -> ends the process at once, exit code 143', async () => {
    const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
    await run('load', [small.url, ...CALM, '--profile', 'steady'], {
      onOutput(text) {
        if (!text.includes('Discovering')) return;
        process.emit('SIGINT', 'SIGINT');
        expect(exit).not.toHaveBeenCalled();
        process.emit('SIGTERM', 'SIGTERM');
      },
    });
    expect(exit.mock.calls).toEqual([[143]]);
    exit.mockRestore();
  });

  test('SIGTERM to the process group -> the service still responds, the clients report, exit code 3', async () => {
    const child = spawn(
      process.execPath,
      [
        ...[PROGRAM, 'load', '--profile', lookups('steady')],
        ...['--chain', '31337', '--rate', '50', '--max-client-lag', '60000'],
        ...reports('group.json'),
      ],
      {
        stdio: ['ignore', 'ignore', 'pipe'],
        detached: true,
      },
    );
    let output = '';
    let isSent = false;
    child.stderr.on('data', (chunk) => {
      output += chunk;
      if (isSent || !/ of 60 s/.test(output)) return;
      isSent = true;
      process.kill(-(child.pid ?? 0), 'SIGTERM');
    });
    const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
    expect(code, output).toBe(3);
    const { reason, endpoints } = readResult('group.json');
    expect(reason).toContain('ended early');
    expect(endpoints[0]).toMatchObject({ errors: {} });
    expect(endpoints[0]?.requests).toBeGreaterThan(0);
  });
});

/** Runs the clients in this process, which is enough for tests that do not check latency. */
const startClientsHere: StartClients = (orders, onReport) => {
  const controller = new AbortController();
  const results = orders.map((order) =>
    runOrder(
      order,
      (report, onTaken) => {
        onReport(report);
        onTaken();
      },
      () => Promise.resolve(),
      controller.signal,
    ),
  );
  return { results: Promise.all(results), stop: () => controller.abort() };
};
