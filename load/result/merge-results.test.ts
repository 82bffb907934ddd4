import { describe, expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../../fixtures/testing/run-command.testing.ts';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';
import { createMergeCommand } from '../commands/merge-command.ts';
import type { LoadResult } from '../model/load-result.ts';
import { mergeResults } from './merge-results.ts';
import { notStartedSample, sampleResult, searchResult } from './sample-result.testing.ts';

const COUNT = 3;
const SHAPE = { rate: 300, timeouts: 0.01, seconds: 6 };
const PARTS = Array.from({ length: COUNT }, (_, index) =>
  sampleResult({ ...SHAPE, share: { index, count: COUNT } }),
);
const part = (index: number, changes: Partial<LoadResult> = {}): LoadResult => ({
  ...(PARTS[index] as LoadResult),
  runId: `run-${index}`,
  ...changes,
});
const merge = (...results: readonly LoadResult[]) =>
  mergeResults(results.map((result, at) => ({ source: `${'abc'[at]}.json`, result })));

describe('mergeResults', () => {
  test('the parts of a split recording -> exactly the whole', () => {
    const merged = merge(part(0), part(1), part(2));
    const whole = sampleResult(SHAPE);
    for (const name of [
      'endpoints',
      'series',
      'thresholds',
      'rateRequested',
      'rateReached',
      'sent',
      'verdict',
      'reason',
      'intervalS',
      'durationMs',
      'warmUpS',
    ] as const) {
      expect(merged[name], name).toEqual(whole[name]);
    }
    expect(merged.sentAgain).toBe(COUNT * (whole.sentAgain ?? 0));
    expect(merged.client).toMatchObject({
      processes: COUNT * whole.client.processes,
      cores: 12,
      lagMaxMs: 3.1,
    });
    expect(merged.parts?.map(({ runId, source }) => [runId, source])).toEqual([
      ['run-0', 'a.json'],
      ['run-1', 'b.json'],
      ['run-2', 'c.json'],
    ]);
  });

  test('parts merged in any order, in one or two steps -> the same metrics', () => {
    const [a, b, c] = [part(0), part(1), part(2)];
    const { endpoints, series, rateRequested } = merge(a, b, c);
    expect(merge(c, a, b)).toMatchObject({ rateRequested, series });
    const again = merge(merge(a, b), c);
    expect(again).toMatchObject({ endpoints, series });
    expect(again.parts).toHaveLength(3);
  });

  test('intervals of different lengths -> the longer intervals', () => {
    const [a, b] = [part(0), part(1)];
    const halves = { ...b, intervalS: 1 };
    const merged = merge(
      { ...a, intervalS: 2, series: a.series.filter(({ startS }) => startS % 2 === 0) },
      halves,
    );
    expect(merged.intervalS).toBe(2);
    expect(merged.series.every(({ startS }) => startS % 2 === 0)).toBe(true);
  });

  test('a part whose p99 crosses the bound -> the verdict considers all parts together', () => {
    const slow = part(1, {});
    const crossing = sampleResult({
      ...SHAPE,
      share: { index: 1, count: COUNT },
      medianMs: { swap: 900, 'swap calldata': 900, tokens: 900, invalid: 900 },
    });
    const merged = merge(part(0), { ...crossing, runId: 'slow', profile: slow.profile });
    expect(merged).toMatchObject({ verdict: 'failed' });
    expect(merged.reason).toMatch(/p99 of all requests is/);
  });

  test.each<[string, readonly LoadResult[], RegExp]>([
    ['one result', [part(0)], /^1 result: expected two or more/],
    [
      'one run twice',
      [part(0), part(1), part(0)],
      /^c\.json contains the run run-0, and so does a\.json: pass each run once$/,
    ],
    [
      'another profile',
      [part(0), part(1, { profile: { ...part(1).profile, warmUpS: 3 } })],
      /^the profile of b\.json differs from that of a\.json: warmUpS is 3, not \d+$/,
    ],
    ['a search', [part(0), searchResult()], /^b\.json is the result of a search/],
    [
      'a run that never began',
      [part(0), notStartedSample()],
      /^b\.json contains no metrics \(.*connection refused\)/,
    ],
    [
      'runs one after the other',
      [part(0), part(1, { startedAt: '2026-01-02T03:14:05.000Z' })],
      /^b\.json began 594 s after a\.json had ended/,
    ],
  ])('%s -> rejected with the reason', (_, results, message) => {
    expect(() => merge(...results)).toThrow(message);
  });

  test('an incomplete part -> an incomplete result that names it', () => {
    const merged = merge(
      part(0),
      part(1, { verdict: 'incomplete', reason: 'the run was ended early' }),
    );
    expect(merged).toMatchObject({
      verdict: 'incomplete',
      reason: expect.stringContaining('b.json is incomplete, the run was ended early'),
    });
  });
});

test('swapcheck load merge -> reports of the merged result, and its exit code; a file that is not a result is named', async () => {
  const { at, write, read, readJson } = useFolder(onTestFinished);
  const files = [0, 1, 2].map((index) => write(`${index}.json`, part(index)));
  const args = [
    '--report',
    `json=${at('all.json')}`,
    '--report',
    `html=${at('all.html')}`,
    '--report',
    'text',
  ];
  const { code, stdout } = await runCommand(createMergeCommand(), [...files, ...args]);
  expect(code).toBe({ passed: 0, failed: 1 }[readJson('all.json').verdict as 'passed']);
  expect(stdout).toContain('each of 3 runs');
  expect(stdout).toMatch(/Merged: +\S*0\.json: [\d,]+ requests/);
  expect(read('all.html')).toContain('<dt>Merged</dt>');
  const wrong = await runCommand(createMergeCommand(), [
    files[0] ?? '',
    write('x.json', '{"kind":"load"}'),
  ]);
  expect(wrong).toMatchObject({
    code: 2,
    text: expect.stringContaining('x.json is not a load result'),
  });
});
