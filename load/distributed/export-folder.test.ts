import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sampleMix as mix } from '../mix/sample-mix.testing.ts';
import { loadProfile } from '../profiles/load-profile.ts';
import { overrideProfile } from '../profiles/override-profile.ts';
import { dueTimes, requestCount, type Stage } from '../run/schedule.ts';
import { exportFolder, FolderError, NotExportableError } from './export-folder.ts';
import { resolveExecutable } from './find-executable.testing.ts';

const profile = overrideProfile(loadProfile('steady'), {
  rate: 50,
  durationS: 10,
  thresholds: [{ metric: 'wrong', endpoint: 'swap', max: 1 }],
});
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'export-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function python(args: readonly string[], input?: string) {
  const path = resolveExecutable('python3', 'PYTHON_BIN', 'apt-get install python3');
  const scripts = fileURLToPath(new URL('./locust', import.meta.url));
  const run = spawnSync(path, ['-B', '-W', 'error', ...args], { cwd: scripts, input });
  return { status: run.status, said: String(run.stderr), printed: String(run.stdout) };
}

describe('exportFolder', () => {
  const options = { engine: 'k6' as const, profile, mix, target: 'http://a' };
  const read = (...path: string[]): string => readFileSync(join(folder, ...path), 'utf8');

  test('the same seed -> the same corpus; the key in no file', async () => {
    await exportFolder({ ...options, folder: join(folder, 'a') });
    await exportFolder({ ...options, folder: join(folder, 'b') });
    await exportFolder({ ...options, folder: join(folder, 'c'), mix: { ...mix, seed: 2 } });
    const corpus = (name: string): string => read(name, 'corpus.ndjson');
    expect(corpus('a')).toBe(corpus('b'));
    expect(corpus('a')).not.toBe(corpus('c'));
    const lines = corpus('a').trimEnd().split('\n');
    expect(lines).toHaveLength(500);
    for (const line of lines) {
      expect(JSON.parse(line)[2]).toMatch(/^\/api\/v1\.0\/swap\?sellAmount=\d+&apiKey=$/);
    }
  });

  test.each([
    ['k6', ['wrong', 'wrong'], ['script.js', 'schedule.js', 'testrun.yaml']],
    ['locust', ['wrong'], ['locustfile.py', 'schedule.py', 'thresholds.py', 'locust.conf']],
  ] as const)(
    '%s -> its scripts, and the thresholds that it can hold',
    async (engine, left, scripts) => {
      const path = join(folder, engine);
      const { files, unheld } = await exportFolder({ ...options, engine, folder: path });
      const all = ['corpus.ndjson', 'profile.json', 'profile.yaml', ...scripts];
      expect([...files].sort()).toEqual([...all].sort());
      expect(readdirSync(path).sort()).toEqual([...all].sort());
      expect(unheld.map(({ metric }) => metric)).toEqual(left);
      const { thresholds } = JSON.parse(read(engine, 'profile.json'));
      expect(thresholds).toHaveLength(profile.thresholds.length - left.length);
      expect(loadProfile(join(path, 'profile.yaml'))).toEqual(profile);
    },
  );

  test('a target -> filled into the manifest as a YAML string', async () => {
    const target = 'http://a/"$&';
    await exportFolder({ ...options, target, folder: join(folder, 'filled') });
    expect(read('filled', 'testrun.yaml')).toContain(`value: ${JSON.stringify(target)}\n`);
  });

  test('a workload without a schedule, a folder that cannot be -> errors', async () => {
    const closed = loadProfile('closed');
    const run = exportFolder({ ...options, profile: closed, folder: join(folder, 'd') });
    await expect(run).rejects.toThrow(NotExportableError);
    writeFileSync(join(folder, 'file'), '');
    const blocked = exportFolder({ ...options, folder: join(folder, 'file', 'x') });
    await expect(blocked).rejects.toThrow(FolderError);
  });
});

describe('the scripts', () => {
  test('their schedules -> when the client itself sends', async () => {
    const rate = fc.integer({ min: 0, max: 90 });
    const stage: fc.Arbitrary<Stage> = fc.record({
      durationS: fc.constantFrom(0.5, 1, 3),
      fromRate: rate,
      toRate: rate,
    });
    const all = fc.sample(fc.array(stage, { minLength: 1, maxLength: 3 }), {
      seed: 1,
      numRuns: 40,
    });
    const script = [
      'import json, sys, schedule',
      'print(json.dumps([[due for _, due in schedule.due_times(each)] for each in json.load(sys.stdin)]))',
    ].join('\n');
    const { status, said, printed } = python(['-c', script], JSON.stringify(all));
    expect([status, said]).toEqual([0, '']);
    const { dueSeconds, requestCount: countInK6 } = await import(
      new URL('./k6/schedule.js', import.meta.url).href
    );
    const ofPython: number[][] = JSON.parse(printed);
    all.forEach((stages, at) => {
      const ours = [...dueTimes(stages)];
      expect(ofPython[at]).toHaveLength(ours.length);
      expect(countInK6(stages)).toBe(requestCount(stages));
      ours.forEach((dueMs, number) => {
        expect(ofPython[at]?.[number]).toBeCloseTo(dueMs / 1000, 6);
        expect(dueSeconds(stages, number)).toBeCloseTo(dueMs / 1000, 6);
      });
    });
  });

  test('Python -> compiles without a warning, and its own tests pass', () => {
    const compiled = python([
      '-c',
      "import pathlib; compile(pathlib.Path('locustfile.py').read_text(), 'locustfile.py', 'exec')",
    ]);
    expect(compiled).toEqual({ status: 0, said: '', printed: '' });
    const { status, said } = python(['-m', 'unittest', 'discover']);
    expect(said).toMatch(/Ran [1-9]\d* tests/);
    expect(status, said).toBe(0);
  });

  test('k6 -> modules that parse', () => {
    for (const name of ['script.js', 'schedule.js']) {
      const source = readFileSync(new URL(`./k6/${name}`, import.meta.url));
      const args = ['--input-type=module', '--check', '-'];
      const { status, stderr } = spawnSync(process.execPath, args, { input: source });
      expect([status, String(stderr)]).toEqual([0, '']);
    }
  });
});
