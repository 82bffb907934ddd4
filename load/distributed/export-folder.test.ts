import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';
import { dueTimes, requestCount } from '../engine/schedule.ts';
import { sampleMix as mix } from '../mix/sample-mix.testing.ts';
import { loadProfile } from '../profiles/load-profile.ts';
import { overrideProfile } from '../profiles/override-profile.ts';
import { exportFolder } from './export-folder.ts';
import { EXPORT_TARGETS, type ExportEngine } from './export-targets.ts';
import { REDACTION_ROWS, SAMPLE_SCHEDULES } from './exports.testing.ts';

const profile = overrideProfile(loadProfile('steady'), {
  rate: 50,
  durationS: 10,
  thresholds: [{ metric: 'wrong', endpoint: 'swap', max: 1 }],
});

async function write(options: Partial<Parameters<typeof exportFolder>[0]> = {}) {
  const { folder, read } = useFolder(onTestFinished);
  const defaults = { engine: 'k6' as const, profile, mix, target: 'http://a', folder };
  const files = await exportFolder({ ...defaults, ...options });
  return { folder, read, files };
}

describe('exportFolder', () => {
  test('the same seed -> the same corpus, with the key in no file', async () => {
    const exports = [write(), write(), write({ mix: { ...mix, seed: 2 } })];
    const [one, same, other] = (await Promise.all(exports)).map(({ read }) =>
      read('corpus.ndjson'),
    );
    expect(one).toBe(same);
    expect(one).not.toBe(other);
    const lines = one?.trimEnd().split('\n') ?? [];
    expect(lines).toHaveLength(500);
    for (const line of lines) {
      expect(JSON.parse(line)[2]).toMatch(/^\/api\/v1\.0\/swap\?sellAmount=\d+&apiKey=$/);
    }
  });

  test.each(Object.keys(EXPORT_TARGETS) as ExportEngine[])(
    '%s -> the corpus, the profile, and the files of the engine',
    async (engine) => {
      const { folder, files, read } = await write({ engine });
      expect(readdirSync(folder).sort()).toEqual([...files].sort());
      expect(files.slice(0, 3)).toEqual(['corpus.ndjson', 'profile.json', 'profile.yaml']);
      expect(files.length).toBeGreaterThan(3);
      for (const name of files) expect(read(name), name).toMatch(/\S\n$/);
      expect(loadProfile(join(folder, 'profile.yaml'))).toEqual(profile);
    },
  );

  test('a target -> inserted into the manifest as a YAML string', async () => {
    const target = 'http://a/"$&';
    const { read } = await write({ target });
    expect(read('testrun.yaml')).toContain(`value: ${JSON.stringify(target)}\n`);
  });

  test('a workload without a schedule, or a folder that cannot be created -> an error', async () => {
    await expect(write({ profile: loadProfile('closed') })).rejects.toThrow('cannot be exported');
    const file = useFolder(onTestFinished).write('file', '');
    await expect(write({ folder: join(file, 'x') })).rejects.toThrow('cannot be written');
  });
});

describe('the scripts for k6', () => {
  test('due times -> the same as those of our client', async () => {
    const script = await import(new URL('k6/schedule.js', import.meta.url).href);
    for (const stages of SAMPLE_SCHEDULES) {
      expect(script.requestCount(stages)).toBe(requestCount(stages));
      [...dueTimes(stages)].forEach((dueMs, number) => {
        expect(script.dueSeconds(stages, number)).toBeCloseTo(dueMs / 1000, 6);
      });
    }
  });

  test.each(REDACTION_ROWS)('key %j in %j -> replaced in every form', async (key, text, shown) => {
    const { redactor } = await import(new URL('k6/redaction.js', import.meta.url).href);
    expect(redactor(key)(text)).toBe(shown);
  });

  test.each(['script.js', 'redaction.js', 'schedule.js'])('%s -> a module that parses', (name) => {
    const source = readFileSync(new URL(`k6/${name}`, import.meta.url));
    const args = ['--input-type=module', '--check', '-'];
    const { status, stderr } = spawnSync(process.execPath, args, { input: source });
    expect([status, String(stderr)]).toEqual([0, '']);
  });
});
