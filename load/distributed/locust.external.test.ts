import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createCheckCommand } from '../../conformance/commands/check-command.ts';
import { findProgram } from '../../fixtures/testing/external-programs.testing.ts';
import { runCommand } from '../../fixtures/testing/run-command.testing.ts';
import { serve } from '../../fixtures/testing/tiny-server.testing.ts';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';
import { startBuiltInReference } from '../../scripts/cli/built-in-reference.ts';
import { prepareJudge } from '../../scripts/cli/load-judge.ts';
import { runExport } from '../commands/export-run.ts';
import { closeServers, listen, startStallingServer } from '../engine/engine.testing.ts';
import { dueTimes } from '../engine/schedule.ts';
import { sampleMix as mix } from '../mix/sample-mix.testing.ts';
import { readExportedRun } from '../result/read-exported-run.ts';
import { exportFolder } from './export-folder.ts';
import {
  constantProfile,
  expectStalledRun,
  exportForStallingServer,
  REDACTION_ROWS,
  SAMPLE_SCHEDULES,
} from './exports.testing.ts';

const KEY = 'demo';

describe('Locust, a master and two workers', { timeout: 120_000 }, () => {
  const locust = findProgram('locust');

  async function runLocust(
    path: string,
    url: string,
    onRun: (workers: readonly ChildProcess[]) => void = () => {},
  ): Promise<{ code: unknown; output: string }> {
    const port = String(await freePort());
    const env = {
      ...process.env,
      SWAPCHECK_API_KEY: KEY,
    };
    const start = (...args: string[]) => spawn(locust, args, { cwd: path, env });
    const masterAt = ['--master-host', '127.0.0.1', '--master-port', port];
    const workers = [0, 1].map(() => start('-f', 'locustfile.py', '--worker', ...masterAt));
    const master = start(
      ...['--config', 'locust.conf', '--master', '--expect-workers', '2', '-H', url],
      ...['--master-bind-host', '127.0.0.1', '--master-bind-port', port],
    );
    let output = '';
    let hasBegun = false;
    for (const stream of [master.stdout, master.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
        if (hasBegun || !output.includes('All users spawned')) return;
        hasBegun = true;
        onRun(workers);
      });
    }
    const code = await new Promise((resolve) => master.once('exit', resolve));
    for (const worker of workers) worker.kill();
    return { code, output };
  }

  test('the stalling server -> latency from due times, which load merge checks', async () => {
    const { path, url } = await exportForStallingServer('locust');
    const { code, output } = await runLocust(path, url);
    expect(code, output).toBe(0);
    await expectStalledRun(path, 'Locust');
  });

  test('truncated replies -> one error each, and later requests succeed', async () => {
    let lost = 0;
    let requests = 0;
    const server = createHttpServer(({ socket }, response) => {
      requests += 1;
      if (requests % 20 > 0) return response.end('{}');
      lost += 1;
      response.writeHead(200, { 'content-length': 100 });
      return response.write('{', () => socket.destroy());
    });
    const url = (await listen(server)).href;
    onTestFinished(closeServers);
    const path = useFolder(onTestFinished).folder;
    const profile = {
      ...constantProfile(100, 2, 10),
      thresholds: [{ metric: 'errors' as const, max: 0.06 }],
    };
    await exportFolder({ engine: 'locust', folder: path, profile, mix, target: url });
    const { code, output } = await runLocust(path, url);
    const [all] = (await readExportedRun(path)).endpoints;
    expect([requests, lost], output).toEqual([200, 10]);
    expect(all).toMatchObject({ requests: 200, errors: { reset: 10 }, statuses: { 200: 190 } });
    expect(code, output).toBe(0);
  });

  test('a lost worker -> the run ends, and reports the missing share', async () => {
    const url = (await startStallingServer()).origin.href;
    onTestFinished(closeServers);
    const path = useFolder(onTestFinished).folder;
    const profile = {
      ...constantProfile(100, 5, 100),
      thresholds: [{ metric: 'errors' as const, max: 1 }],
    };
    await exportFolder({ engine: 'locust', folder: path, profile, mix, target: url });
    const { code, output } = await runLocust(path, url, ([first]) => {
      setTimeout(() => first?.kill('SIGKILL'), 1500);
    });
    expect(code, output).toBe(3);
    expect(output).toMatch(/worker \S+ was lost: its share of the run is missing/);
    const run = await readExportedRun(path);
    expect(run).toMatchObject({ verdict: 'invalid', client: { lostProcesses: 1 } });
    expect(run.rateReached).toBeLessThan(90);
  });

  test('the reference -> responses to every kind of request, and a sample that check judges', async () => {
    const subject = await startBuiltInReference();
    try {
      const path = useFolder(onTestFinished).folder;
      const profile = {
        ...constantProfile(40, 5, 20),
        thresholds: [
          { metric: 'wrong' as const, max: 0 },
          { metric: 'errors' as const, max: 0 },
        ],
      };
      const { apiKey } = subject;
      const code = await runExport(
        { url: new URL(subject.url) },
        { profile, seed: 1, chains: [31337], apiKey },
        { engine: 'locust', out: path },
        { prepareJudge, startSubject: startBuiltInReference },
      );
      expect(code).toBe(0);
      for (const file of readdirSync(path)) {
        expect(readFileSync(join(path, file), 'utf8')).not.toContain(`apiKey=${subject.apiKey}`);
      }
      const run = await runLocust(path, subject.url);
      expect(run.code, run.output).toBe(0);
      const { thresholds, endpoints } = await readExportedRun(path);
      expect(thresholds).toMatchObject([{ metric: 'errors', max: 0, actual: 0, held: true }]);
      expect(endpoints[0]?.requests).toBe(200);
      const report = join(path, 'report.json');
      const args = [join(path, 'requests.ndjson'), '--report', `json=${report}`];
      const judged = await runCommand(createCheckCommand(), args);
      expect(judged.code, judged.text).toBe(0);
      const { replies } = JSON.parse(readFileSync(report, 'utf8'));
      expect(replies).toBeGreaterThan(100);
    } finally {
      await subject.close();
    }
  });
});

describe('the scripts for Locust', () => {
  function python(args: readonly string[], input?: string) {
    const cwd = fileURLToPath(new URL('./locust', import.meta.url));
    const run = spawnSync(findProgram('python3'), ['-B', '-W', 'error', ...args], { cwd, input });
    return { status: run.status, output: String(run.stderr), printed: String(run.stdout) };
  }

  test('due times -> the same as those of our client', () => {
    const script = [
      'import json, sys, schedule',
      'print(json.dumps([[due for _, due in schedule.due_times(each)] for each in json.load(sys.stdin)]))',
    ].join('\n');
    const { status, output, printed } = python(['-c', script], JSON.stringify(SAMPLE_SCHEDULES));
    expect([status, output]).toEqual([0, '']);
    const dueS: number[][] = JSON.parse(printed);
    SAMPLE_SCHEDULES.forEach((stages, at) => {
      const ours = [...dueTimes(stages)];
      expect(dueS[at]).toHaveLength(ours.length);
      ours.forEach((dueMs, number) => {
        expect(dueS[at]?.[number]).toBeCloseTo(dueMs / 1000, 6);
      });
    });
  });

  test('a key in a reply -> replaced in every form, as by the script for k6', () => {
    const script = [
      'import json, sys, redaction',
      'print(json.dumps([redaction.redactor(key)(text) for key, text, _ in json.load(sys.stdin)]))',
    ].join('\n');
    const { status, output, printed } = python(['-c', script], JSON.stringify(REDACTION_ROWS));
    expect([status, output]).toEqual([0, '']);
    expect(JSON.parse(printed)).toEqual(REDACTION_ROWS.map(([, , shown]) => shown));
  });

  test('locustfile.py -> compiles without a warning', () => {
    const script =
      "import pathlib; compile(pathlib.Path('locustfile.py').read_text(), 'locustfile.py', 'exec')";
    expect(python(['-c', script])).toEqual({ status: 0, output: '', printed: '' });
  });
});

async function freePort(): Promise<number> {
  const { url, close } = await serve(() => {});
  await close();
  return Number(new URL(url).port);
}
