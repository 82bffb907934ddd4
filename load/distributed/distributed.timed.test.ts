import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { prepareJudge } from '../../scripts/load-judge.ts';
import { startSubject } from '../../scripts/load-subject.ts';
import { runExport } from '../commands/export-command.ts';
import { sampleMix as mix } from '../mix/sample-mix.testing.ts';
import { loadProfile } from '../profiles/load-profile.ts';
import { overrideProfile } from '../profiles/override-profile.ts';
import { closeServers, startStallingServer } from '../run/engine.testing.ts';
import { type Engine, exportFolder } from './export-folder.ts';
import { resolveExecutable } from './find-executable.testing.ts';

const ROOT = new URL('../..', import.meta.url).pathname;
const KEY = 'demo';
const steady = (rate: number, durationS: number, connections: number) =>
  overrideProfile(loadProfile('steady'), { rate, durationS, connections, warmUpS: 0 });

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'load-export-'));
});
afterEach(closeServers);
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes an export for a service that is asked nothing while it is planned. */
async function writeStalling(engine: Engine, name: string): Promise<{ path: string; url: string }> {
  const url = (await startStallingServer()).href;
  const path = join(folder, name);
  const profile = { ...steady(200, 20, 300), thresholds: [{ metric: 'p99' as const, max: 100 }] };
  await exportFolder({ engine, folder: path, profile, mix, target: url.replace(/\/$/, '') });
  return { path, url };
}

describe('Locust, a master and two workers', () => {
  let locust: string;
  beforeAll(() => {
    locust = resolveExecutable(
      'locust',
      'LOCUST_BIN',
      'apt-get install python3-locust, or pip install locust',
    );
  });

  /** Plays an export; `onRun` is called when the workers have begun. */
  async function playLocust(
    path: string,
    url: string,
    onRun: (workers: readonly ChildProcess[]) => void = () => {},
  ): Promise<{ code: unknown; said: string }> {
    const port = String(await freePort());
    const env = {
      ...process.env,
      SWAPCHECK_API_KEY: KEY,
      SWAPCHECK: `${process.execPath} --import ${import.meta.resolve('tsx')} ${join(ROOT, 'scripts/swapcheck.ts')}`,
      NODE_OPTIONS: '',
    };
    const start = (...args: string[]) => spawn(locust, args, { cwd: path, env });
    const masterAt = ['--master-host', '127.0.0.1', '--master-port', port];
    const workers = [0, 1].map(() => start('-f', 'locustfile.py', '--worker', ...masterAt));
    const master = start(
      ...['--config', 'locust.conf', '--master', '--expect-workers', '2', '-H', url],
      ...['--master-bind-host', '127.0.0.1', '--master-bind-port', port],
    );
    let said = '';
    let hasBegun = false;
    for (const stream of [master.stdout, master.stderr]) {
      stream.on('data', (chunk) => {
        said += chunk;
        if (hasBegun || !said.includes('All users spawned')) return;
        hasBegun = true;
        onRun(workers);
      });
    }
    const code = await new Promise((resolve) => master.once('exit', resolve));
    for (const worker of workers) worker.kill();
    return { code, said };
  }

  test('the stalling server -> p99 and p99.9 within 5 % of theory, the rate within 2 %, thresholds as exit code', {
    retry: 2,
    timeout: 120_000,
  }, async () => {
    const { path, url } = await writeStalling('locust', 'locust-stall');
    const { code, said } = await playLocust(path, url);
    const result = JSON.parse(readFileSync(join(path, 'result.json'), 'utf8'));
    const { requests, errors, latencyMs } = result.endpoints.all;
    expect([requests, errors], said).toEqual([4000, 0]);
    expect(Math.abs(latencyMs.p99 - 950) / 950).toBeLessThan(0.05);
    expect(Math.abs(latencyMs['p99.9'] - 995) / 995).toBeLessThan(0.05);
    expect(Math.abs(result.rateReached - 200) / 200).toBeLessThan(0.02);
    expect(code).toBe(1);
    expect(said).toMatch(/CROSSED p99 of all: 9\d0 \(at most 100\)/);
  });

  test('a worker that is lost -> the run ends, and says that a share of it is missing', {
    timeout: 120_000,
  }, async () => {
    const url = (await startStallingServer()).href;
    const path = join(folder, 'locust-lost');
    const profile = {
      ...steady(100, 10, 100),
      thresholds: [{ metric: 'errors' as const, max: 1 }],
    };
    await exportFolder({ engine: 'locust', folder: path, profile, mix, target: url });
    const { code, said } = await playLocust(path, url, ([first]) => {
      setTimeout(() => first?.kill('SIGKILL'), 2000);
    });
    expect(code, said).toBe(3);
    expect(said).toMatch(/worker \S+ was lost, and its share of the run/);
    const result = JSON.parse(readFileSync(join(path, 'result.json'), 'utf8'));
    expect(result.lostWorkers).toBe(1);
    expect(result.rateAsked).toBe(100);
    expect(result.rateReached).toBeLessThan(90);
  });

  test('the reference -> every kind answered, the sample judged, 0', {
    timeout: 120_000,
  }, async () => {
    const subject = await startSubject();
    try {
      const path = join(folder, 'locust-reference');
      const profile = {
        ...steady(40, 5, 20),
        thresholds: [
          { metric: 'wrong' as const, max: 0 },
          { metric: 'errors' as const, max: 0 },
        ],
      };
      const code = await runExport(
        {
          url: new URL(subject.url),
          engine: 'locust',
          folder: path,
          requests: undefined,
          profile,
          seed: 1,
          chains: [31337],
          apiKey: subject.apiKey,
        },
        { version: '0.0.0', prepareJudge, startSubject },
      );
      expect(code).toBe(0);
      for (const file of readdirSync(path)) {
        expect(readFileSync(join(path, file), 'utf8')).not.toContain(`apiKey=${subject.apiKey}`);
      }
      const played = await playLocust(path, subject.url);
      const result = JSON.parse(readFileSync(join(path, 'result.json'), 'utf8'));
      expect(result.thresholds, played.said).toEqual([
        { metric: 'wrong', max: 0, actual: 0, held: true },
        { metric: 'errors', max: 0, actual: 0, held: true },
      ]);
      expect(result.endpoints.all.requests).toBe(200);
      expect(result.samples).toBeGreaterThan(100);
      expect(played.code).toBe(0);
    } finally {
      await subject.close();
    }
  });
});

describe('k6', () => {
  const k6 = process.env['K6_BIN'] ?? '/usr/bin/k6';
  // The one test that may be left out: the binary is in no package registry, and takes minutes to build (go install go.k6.io/k6@v0.49.0).
  test.runIf(existsSync(k6))(
    'the stalling server -> latency from when it was due, thresholds as exit code',
    { retry: 2, timeout: 120_000 },
    async () => {
      const { path } = await writeStalling('k6', 'k6-stall');
      const run = await promisify(execFile)(
        k6,
        [
          'run',
          '--no-usage-report',
          '--log-format=raw',
          '--console-output=samples.ndjson',
          '--summary-export=summary.json',
          'script.js',
        ],
        { cwd: path },
      ).then(
        () => ({ code: 0 }),
        (error: { code: number }) => error,
      );
      expect(run.code).toBe(99);
      const { metrics } = JSON.parse(readFileSync(join(path, 'summary.json'), 'utf8'));
      expect(metrics.http_reqs.count).toBe(4000);
      expect(Math.abs(metrics.latency['p(99)'] - 950) / 950).toBeLessThan(0.05);
      expect(Math.abs(metrics.latency['p(99.9)'] - 995) / 995).toBeLessThan(0.05);
      expect(metrics['in_time{measured:yes}'] ?? metrics.in_time).toMatchObject({ value: 1 });
      const [sample] = readFileSync(join(path, 'samples.ndjson'), 'utf8').split('\n');
      expect(JSON.parse(sample as string)).toMatchObject({ status: 200, body: '{}' });
    },
  );
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
