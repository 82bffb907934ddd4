import { readdirSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { PROGRAM } from '../../fixtures/testing/built-program.testing.ts';
import {
  HOSTILE_REPLIES,
  type HostileReply,
} from '../../fixtures/testing/hostile-replies.testing.ts';
import { startProgram } from '../../fixtures/testing/start-program.testing.ts';
import { serve } from '../../fixtures/testing/tiny-server.testing.ts';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';
import type { Report } from '../model/report.ts';
import { REPORT_FORMATS } from '../report/formats.ts';
import { tinyPlan, tinyService } from '../runner/tiny-service.testing.ts';

/*
 * Runs the command in a separate process against a service that attacks it in every known way, one
 * after another. The run must end with a verdict and all reports, in bounded memory, and no output
 * may contain the key. Tests in client/ and runner/ check the finding on each attack.
 */

const KEY = 'k3y/of+the caller"0123456789';
const MAX_GROWTH_MB = 256;
const MAX_REQUESTS = 96;
const FORMATS = Object.keys(REPORT_FORMATS);

async function judge(service: RequestListener, maxRequests: number) {
  const server = await serve(service);
  const { folder, at, read } = useFolder(onTestFinished);
  const telling = 'process.on("exit",()=>console.error("peak",process.resourceUsage().maxRSS))';
  const { ended } = startProgram(
    process.execPath,
    [
      ...['--max-old-space-size=256'],
      ...['--import', `data:text/javascript,${encodeURIComponent(telling)}`],
      ...[PROGRAM, 'test', server.url, '--api-key', KEY, '--report', 'text'],
      ...['--max-requests', String(maxRequests), '--timeout', '4000'],
      // The service sends bodies whose sizes are multiples of this maximum.
      ...['--max-body', '4'],
      ...FORMATS.flatMap((format) => ['--report', `${format}=${at(`report.${format}`)}`]),
    ],
    { env: { ...process.env, NO_COLOR: '1' } },
  );
  const { code, stdout, stderr } = await ended;
  await server.close();
  const written = new Map(Object.entries({ stdout, stderr }));
  for (const file of readdirSync(folder)) written.set(file, read(file));
  const report = JSON.parse(written.get('report.json') ?? '') as Report;
  const peakMb = Number(/peak (\d+)/.exec(stderr)?.[1]) / 1024;
  return { code, report, written, peakMb };
}

function isUnread({ fails }: HostileReply): boolean {
  return fails.length === 0 || fails.includes('endpoint/answers');
}

const HARM: readonly RequestListener[] = [
  // Complete replies come first, while the run sends requests that the service must serve.
  ...Object.values(HOSTILE_REPLIES)
    .toSorted((a, b) => Number(isUnread(a)) - Number(isUnread(b)))
    .map(
      ({ send }): RequestListener =>
        ({ socket }) =>
          send(socket),
    ),
  // One body is about twice the maximum size; the other is about the maximum.
  (_, response) => response.end(plansOf(100_000, tinyPlan('1').routes[0])),
  (_, response) => response.end(plansOf(100_000, { fromTokens: [], toTokens: [] })),
  (request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://localhost');
    const key = searchParams.get('apiKey') ?? '';
    response.writeHead(418, {
      'content-type': `text/${encodeURIComponent(key)}`,
      location: `/elsewhere?${searchParams}`,
      'set-cookie': `key=${encodeURIComponent(key)}`,
    });
    response.end(JSON.stringify({ error: key, message: `no ${key}`, asked: request.url }));
  },
];

const LARGEST_PLAN = JSON.stringify({
  ...tinyPlan('1000'),
  routes: [{ ...tinyPlan('1000').routes[0], details: { note: 'x'.repeat(4_000_000) } }],
});

function plansOf(count: number, route: unknown): string {
  return JSON.stringify({ ...tinyPlan('1000'), routes: Array(count).fill(route) });
}

describe('swapcheck test', () => {
  test('a service with every kind of attack -> a verdict and all reports, in bounded memory', async () => {
    const baseline = await judge(tinyService, MAX_REQUESTS);
    let swaps = 0;
    const done = new Set<RequestListener>();
    const { code, report, written, peakMb } = await judge((request, response) => {
      if (!request.url?.startsWith('/api/v1.0/swap')) return tinyService(request, response);
      const turn = swaps++;
      const harm = turn % 2 === 0 ? HARM[(turn / 2) % HARM.length] : undefined;
      // Without correct plans in between, the client would stop requesting the operation. Every
      // second plan has the maximum size.
      if (harm === undefined && turn % 4 === 1) return tinyService(request, response);
      if (harm === undefined) return response.end(LARGEST_PLAN);
      done.add(harm);
      harm(request, response);
    }, MAX_REQUESTS);
    expect(done.size).toBe(HARM.length);
    expect([code, report.verdict]).toEqual([1, 'nonconforming']);
    const failed = report.rules.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id);
    const expected = Object.values(HOSTILE_REPLIES).flatMap(({ fails }) => fails);
    expect(failed).toEqual(expect.arrayContaining(expected));
    expect([...written.keys()]).toEqual(
      expect.arrayContaining(FORMATS.map((format) => `report.${format}`)),
    );
    const stderr = written.get('stderr') ?? '';
    expect(stderr.replace(/peak \d+\s*$/, '')).not.toMatch(/^\s+at |nhandled|FATAL|Warning/m);
    for (const form of [KEY, encodeURIComponent(KEY), JSON.stringify(KEY).slice(1, -1)]) {
      const leaked = [...written].filter(([, text]) => text.includes(form));
      expect(leaked.map(([name]) => name)).toEqual([]);
    }
    expect(peakMb - baseline.peakMb).toBeLessThan(MAX_GROWTH_MB);
  });
});
