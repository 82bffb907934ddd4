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
import { TINY_BODIES, tinyPlan, tinyService } from '../runner/tiny-service.testing.ts';

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

const ZEROS = `[${'0,'.repeat(999_999)}0]`;
const HUGE = 'x'.repeat(3_900_000);
const { tokens, chainInfo } = TINY_BODIES;

function copies<T>(count: number, item: T, change: (index: number) => Partial<T>): string {
  return JSON.stringify(
    Array.from({ length: count }, (_, index) => ({ ...item, ...change(index) })),
  );
}

function addressOf(index: number): string {
  return `0x${index.toString(16).padStart(40, '5')}`;
}

const router = { ...chainInfo.routers[0], name: 'x' };
const [token] = tinyPlan('1').tokens;

/**
 * Bodies of many values, or with one huge value, for each operation. Each replaces the replies of
 * one chain, so that no attack hides another.
 */
const LARGE_BODIES: readonly (readonly [operation: string, body: string])[] = [
  [
    'tokens',
    copies(20_000, tokens[0] as { address: string }, (index) => ({ address: addressOf(index) })),
  ],
  ['tokens', ZEROS],
  ['tokens', JSON.stringify([...tokens, { ...tokens[0], name: HUGE }])],
  ['chainInfo', JSON.stringify({ ...chainInfo, routers: Array(20_000).fill(router) })],
  ['chainInfo', ZEROS],
  ['chainInfo', JSON.stringify({ ...chainInfo, name: HUGE })],
  ['swap', JSON.stringify({ ...tinyPlan('1'), tokens: Array(20_000).fill(token) })],
  ['swap', ZEROS],
];

/** Replaces the replies of every further chain, so that many are received at once. */
const HUGE_PLAN = ['swap', JSON.stringify({ ...tinyPlan('1'), aggregator: HUGE })] as const;

/** A list of 60,000 chains. Only the first has a huge name. */
const MANY_CHAINS = copies(60_000, { chainId: 1, name: 'x' }, (index) => ({
  chainId: index + 1,
  name: index === 0 ? HUGE.slice(0, 1_500_000) : 'x',
}));

describe('swapcheck test', () => {
  let correct: ReturnType<typeof judge> | undefined;
  /** Returns by how much a run's memory exceeds that of a run against a correct service. */
  const growthMb = async (peakMb: number) => {
    correct ??= judge(tinyService, MAX_REQUESTS);
    return peakMb - (await correct).peakMb;
  };

  test('lists of many or huge values -> a verdict, in bounded memory', async () => {
    const sent = new Map<string, number>();
    const { code, report, peakMb } = await judge((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
      const operation = pathname.replace('/api/v1.0/', '');
      const chainId = Number(searchParams.get('chainId'));
      const [attacked, body] = LARGE_BODIES[chainId - 1] ?? HUGE_PLAN;
      sent.set(operation, (sent.get(operation) ?? 0) + 1);
      if (operation === 'chains') response.end(MANY_CHAINS);
      else if (operation === attacked) response.end(body);
      else tinyService(request, response);
    }, 3 * MAX_REQUESTS);
    expect([code, report.verdict, report.requests]).toEqual([1, 'nonconforming', 3 * MAX_REQUESTS]);
    expect([...sent.keys()].toSorted()).toEqual(['chainInfo', 'chains', 'swap', 'tokens']);
    expect(await growthMb(peakMb)).toBeLessThan(MAX_GROWTH_MB);
  });

  test('a service with every kind of attack -> a verdict and all reports, in bounded memory', async () => {
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
    expect(await growthMb(peakMb)).toBeLessThan(MAX_GROWTH_MB);
  });
});
