import fc from 'fast-check';
import { expect, onTestFinished } from 'vitest';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';
import { closeServers, startStallingServer } from '../engine/engine.testing.ts';
import type { Stage } from '../engine/schedule.ts';
import { sampleMix as mix } from '../mix/sample-mix.testing.ts';
import type { Profile } from '../model/profile.ts';
import { loadProfile } from '../profiles/load-profile.ts';
import { overrideProfile } from '../profiles/override-profile.ts';
import { readExportedRun } from '../result/read-exported-run.ts';
import { exportFolder } from './export-folder.ts';
import type { ExportEngine } from './export-targets.ts';

/** Returns a profile at a constant rate, without a warm-up. */
export function constantProfile(rate: number, durationS: number, connections: number): Profile {
  return overrideProfile(loadProfile('steady'), { rate, durationS, connections, warmUpS: 0 });
}

/** Returns a profile of a few lookups, which any machine sends on time. */
export function shortProfile(durationS: number): Profile {
  return {
    ...constantProfile(5, durationS, 2),
    ...{ name: 'short', warmUpS: 0.5, maxClientLagMs: 60_000 },
    mix: [{ request: 'chains', weight: 1 }],
    thresholds: [{ metric: 'wrong', max: 0 }],
  };
}

/**
 * Writes an export for the stalling server: 200/s for 10 s, with two stalls and a p99 below 100 ms.
 */
export async function exportForStallingServer(
  engine: ExportEngine,
): Promise<{ path: string; url: string }> {
  const url = (await startStallingServer()).origin.href;
  onTestFinished(closeServers);
  const path = useFolder(onTestFinished).folder;
  const thresholds = [{ metric: 'p99' as const, max: 100 }];
  const profile = { ...constantProfile(200, 10, 300), thresholds };
  await exportFolder({ engine, folder: path, profile, mix, target: url.replace(/\/$/, '') });
  return { path, url };
}

/**
 * Compares latencies of the stalling server with theory: a fifth of the requests wait until a
 * one-second stall ends. Latencies cannot be shorter than in theory, but other work on the machine
 * makes them longer.
 */
function expectStall(p99Ms: number, p999Ms: number): void {
  expect(p99Ms).toBeGreaterThan(0.95 * 950);
  expect(p99Ms).toBeLessThan(2 * 950);
  expect(p999Ms).toBeGreaterThan(0.95 * 995);
}

/**
 * Reads the requests that an engine recorded, as `load merge` does, and expects the latencies that
 * theory predicts for the stall.
 */
export async function expectStalledRun(path: string, engine: string): Promise<void> {
  const run = await readExportedRun(path);
  const [all] = run.endpoints;
  // On a busy machine an engine may fall behind its schedule, which makes the run invalid.
  expect(run.verdict).toMatch(/^(failed|invalid)$/);
  expect(run).toMatchObject({ thresholds: [{ held: false }], sent: 2000, client: { engine } });
  expect(all).toMatchObject({ requests: 2000, errors: {}, statuses: { 200: 2000 } });
  expect(run.rateReached).toBeGreaterThan(190);
  expectStall(all?.latencyMs.p99 ?? 0, all?.latencyMs['p99.9'] ?? 0);
}

/** Texts in which the scripts must find a key, and texts in which they must not. */
export const REDACTION_ROWS: readonly (readonly [key: string, text: string, shown: string])[] = [
  ['my+key/1', 'a my+key/1 b', 'a $SWAPCHECK_API_KEY b'],
  ['my+key/1', '"my%2Bkey%2f1"', '"$SWAPCHECK_API_KEY"'],
  ['my+key/1', '"my\\u002bkey\\/1my+key/1"', '"$SWAPCHECK_API_KEY$SWAPCHECK_API_KEY"'],
  ['my key', 'my+key, my%20key, my-key', '$SWAPCHECK_API_KEY, $SWAPCHECK_API_KEY, my-key'],
  ['demo', 'demo demo', '$SWAPCHECK_API_KEY $SWAPCHECK_API_KEY'],
  [
    'key',
    'key,key "%6bey" monkey keys',
    '$SWAPCHECK_API_KEY,$SWAPCHECK_API_KEY "$SWAPCHECK_API_KEY" monkey keys',
  ],
  ['a', '?x=%3Da&b=a', '?x=%3D$SWAPCHECK_API_KEY&b=$SWAPCHECK_API_KEY'],
  ['$.*(|', '$.*(|x', '$SWAPCHECK_API_KEYx'],
  ['café', 'caf%C3%A9 caf\\u00e9', '$SWAPCHECK_API_KEY $SWAPCHECK_API_KEY'],
  ['', 'text', 'text'],
];

/** Schedules of one to three stages, the same in every test run. */
export const SAMPLE_SCHEDULES: readonly Stage[][] = fc.sample(
  fc.array(
    fc.record({
      durationS: fc.constantFrom(0.5, 1, 3),
      fromRate: fc.integer({ min: 0, max: 90 }),
      toRate: fc.integer({ min: 0, max: 90 }),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  { seed: 1, numRuns: 40 },
);
