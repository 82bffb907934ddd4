import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  HOSTILE_TALK,
  serve,
  serveRaw,
  type TinyServer,
} from '../client/hostile-servers.testing.ts';
import type { Report } from '../model/report.ts';
import { TINY_BODIES, tinyPlan, tinyService } from '../runner/tiny-service.testing.ts';

/*
 * The command as people run it, in a process of its own, against services that
 * mean it harm. Whatever they do there is a verdict and a report, in bounded
 * memory and time, and the key stands in none of what is written.
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const KEY = 'k3y/of+the caller"0123456789';
const MAX_TIME_S = 6;
const MAX_GROWTH_MB = 256;
const FORMATS = ['json', 'junit', 'markdown', 'sarif', 'html'] as const;

type Run = {
  readonly exitCode: number | null;
  readonly report: Report;
  /** All that was written, by name: streams and files. */
  readonly written: ReadonlyMap<string, string>;
  readonly peakMb: number;
};

const folder = mkdtempSync(join(tmpdir(), 'swapcheck-hostile-'));
let baselineMb = 0;
let runs = 0;

beforeAll(async () => {
  baselineMb = (await judge(tinyService, ['--max-requests', '50'])).peakMb;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function judge(service: RequestListener | TinyServer, flags: readonly string[] = []) {
  const server = 'url' in service ? service : await serve(service);
  const out = join(folder, String(runs++));
  const telling = 'process.on("exit",()=>console.error("peak",process.resourceUsage().maxRSS))';
  const child = spawn(
    process.execPath,
    [
      ...['--max-old-space-size=256', '--import', 'tsx'],
      ...['--import', `data:text/javascript,${encodeURIComponent(telling)}`],
      ...['scripts/swapcheck.ts', 'test', server.url, '--api-key', KEY, '--report', 'text'],
      ...['--max-time', String(MAX_TIME_S), '--timeout', '1500', ...flags],
      ...FORMATS.flatMap((format) => ['--report', `${format}=${join(out, `report.${format}`)}`]),
    ],
    { cwd: ROOT, env: { ...process.env, NO_COLOR: '1' } },
  );
  const written = new Map<string, string>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      written.set(name, (written.get(name) ?? '') + text);
    });
  }
  const exitCode = await new Promise<number | null>((resolve) => child.on('close', resolve));
  await server.close();
  const stderr = written.get('stderr') ?? '';
  expect(stderr.replace(/peak \d+\s*$/, '')).not.toMatch(/^\s+at |nhandled|FATAL|Warning/m);
  for (const file of readdirSync(out)) written.set(file, readFileSync(join(out, file), 'utf8'));
  const report = JSON.parse(written.get('report.json') ?? '') as Report;
  const peakMb = Number(/peak (\d+)/.exec(stderr)?.[1]) / 1024;
  return { exitCode, report, written, peakMb } satisfies Run;
}

/** What holds of every run, whatever the service does. */
async function endure(service: RequestListener | TinyServer): Promise<Run> {
  const run = await judge(service);
  const { exitCode, report, written, peakMb } = run;
  expect([...written.keys()]).toEqual(
    expect.arrayContaining(FORMATS.map((format) => `report.${format}`)),
  );
  expect(exitCode).toBe({ conforming: 0, nonconforming: 1, incomplete: 3 }[report.verdict]);
  // What was in flight ends at once; a machine at its limit takes a while to say so.
  expect(report.durationMs).toBeLessThan(MAX_TIME_S * 1000 + 30_000);
  expect(peakMb - baselineMb).toBeLessThan(MAX_GROWTH_MB);
  const spellings = [KEY, encodeURIComponent(KEY), JSON.stringify(KEY).slice(1, -1)];
  for (const [name, text] of written) {
    const leaked = spellings.filter((spelling) => text.includes(spelling));
    expect([name, leaked]).toEqual([name, []]);
  }
  return run;
}

const failed = ({ report }: Run) =>
  report.rules.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id);

const isSwap = ({ url = '' }: IncomingMessage) => url.startsWith('/api/v1.0/swap');

/** Answers lookups well, and swaps as told. */
const atSwap =
  (answer: (request: IncomingMessage, response: ServerResponse) => void): RequestListener =>
  (request, response) =>
    isSwap(request) ? answer(request, response) : tinyService(request, response);

const swapBody = (body: string | Buffer) =>
  atSwap((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(body);
  });

describe.concurrent('a hostile service', { timeout: 120_000 }, () => {
  test.each(Object.entries(HOSTILE_TALK))('%s, at /swap -> no answer, said so', async (_, talk) => {
    const run = await endure(atSwap(({ socket }) => void talk(socket)));
    expect(failed(run)).toContain('endpoint/answers');
    expect(run.report.verdict).toBe('nonconforming');
  });

  test.each([
    'no answer',
    'one byte at a time',
    'headers without end',
    'a body without end',
    'a gzip bomb',
    'a reset in mid-body',
  ] as const)('%s, from the first request on -> a report', async (name) => {
    const run = await endure(await serveRaw((socket) => void HOSTILE_TALK[name](socket)));
    expect(run.report.verdict).not.toBe('conforming');
    expect(run.report.requests).toBeGreaterThan(0);
  });

  test('a content-length too small -> a verdict', async () => {
    const run = await endure(
      atSwap(({ socket }) => {
        socket.end(
          'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 3\r\n\r\n{"a":1}',
        );
      }),
    );
    expect(run.report.verdict).toBe('nonconforming');
  });

  test('HTTP/1.0 -> judged like any other', async () => {
    const run = await endure(
      await serveRaw((socket) => {
        socket.end(
          `HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(TINY_BODIES.chains)}`,
        );
      }),
    );
    const json = run.report.rules.find(({ id }) => id === 'endpoint/json');
    expect(json?.outcome).toBe('pass');
    expect(json?.checks).toBeGreaterThan(10);
    expect(failed(run)).toContain('chain-info/response');
  });

  test('redirects to another host -> never followed, and the key is not told', async () => {
    let asked = 0;
    const other = await serve((_request, response) => {
      asked += 1;
      response.end('[]');
    });
    const run = await endure((request, response) => {
      response.writeHead(302, { location: `${other.url}${request.url}` }).end();
    });
    await other.close();
    expect(asked).toBe(0);
    expect(failed(run)).toContain('endpoint/status');
  });

  test('Set-Cookie -> never sent back', async () => {
    const cookies: string[] = [];
    const run = await endure((request, response) => {
      cookies.push(...(request.headers.cookie ?? []));
      response.setHeader('set-cookie', ['session=1; Path=/', `key=${KEY.replace(/[ "]/g, '')}`]);
      tinyService(request, response);
    });
    expect(cookies).toEqual([]);
    expect(run.report.replies).toBeGreaterThan(10);
  });

  test('100,000 whole routes -> refused as too large', async () => {
    const whole = { ...tinyPlan('1000'), routes: Array(100_000).fill(tinyPlan('1').routes[0]) };
    expect(failed(await endure(swapBody(JSON.stringify(whole))))).toContain('endpoint/answers');
  });

  test('100,000 routes between nothing -> judged', async () => {
    const routes = Array(100_000).fill({ fromTokens: [], toTokens: [] });
    const run = await endure(swapBody(JSON.stringify({ ...tinyPlan('1000'), routes })));
    expect(failed(run)).toContain('route/two-ends');
  });

  test('reference ids of 40 digits -> told apart by their last', async () => {
    const id = (last: number) => `123456789012345678901234567890123456789${last}`;
    const text = (amount: string) =>
      JSON.stringify(tinyPlan(amount)).replace(
        /"referenceId":(\d)/g,
        (_, last) => `"referenceId":${id(last)}`,
      );
    const run = await endure(
      atSwap((request, response) => {
        const { searchParams } = new URL(request.url ?? '', 'http://localhost');
        response.setHeader('content-type', 'application/json');
        response.end(text(searchParams.get('sellAmount') ?? '1'));
      }),
    );
    expect(failed(run)).not.toContain('token/reference-unique');
    expect(failed(run)).not.toContain('plan/no-self-loop');
  });

  test('JSON nested a million deep -> not read, said so', async () => {
    const run = await endure(swapBody('['.repeat(1_000_000)));
    expect(failed(run)).toContain('endpoint/json');
  });

  test('the key echoed in bodies and headers -> taken out of all that is written', async () => {
    const run = await endure((request, response) => {
      const url = new URL(request.url ?? '', 'http://localhost');
      const key = url.searchParams.get('apiKey') ?? '';
      response.statusCode = 418;
      response.setHeader('content-type', `text/${encodeURIComponent(key)}`);
      response.setHeader('location', `/elsewhere?${url.searchParams}`);
      response.end(JSON.stringify({ error: key, message: `no ${key}`, asked: request.url }));
    });
    expect(failed(run)).toContain('endpoint/status');
  });

  test('the key echoed as `error` of a 400 -> observed without it', async () => {
    const run = await endure((request, response) => {
      const key = new URL(request.url ?? '', 'http://localhost').searchParams.get('apiKey');
      response.statusCode = 400;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ error: `unknown ${key}`, message: `key ${key}` }));
    });
    expect(run.report.verdict).not.toBe('conforming');
  });

  test('bytes that are not UTF-8 -> not JSON, said so', async () => {
    const body = Buffer.from(JSON.stringify(tinyPlan('1000')).replace('tiny', 't\xff'), 'latin1');
    const run = await endure(swapBody(body));
    expect(failed(run)).toContain('endpoint/json');
  });
});
