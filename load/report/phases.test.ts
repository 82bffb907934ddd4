import { expect, test } from 'vitest';
import { renderText } from '../../conformance/output/text.ts';
import type { LoadResult } from '../model/load-result.ts';
import type { Profile } from '../model/profile.ts';
import { sampleResult } from '../result/sample-result.testing.ts';
import { phaseBlocks } from './phases.ts';

type Stages = Extract<Profile['workload'], { model: 'open' }>['stages'];

function textOf(stages: Stages, p99At: (second: number) => number): string {
  const seconds = stages.reduce((sum, { durationS }) => sum + durationS, 0);
  const result = sampleResult({ seconds, rate: 20 });
  const changed: LoadResult = {
    ...result,
    profile: { ...result.profile, workload: { model: 'open', stages } },
    series: result.series.map((each) => ({ ...each, p99: p99At(each.startS) })),
  };
  return renderText([{ blocks: phaseBlocks(changed) }]);
}

const SPIKE = [5, 2, 10].map((durationS, at) => ({ durationS, rate: at === 1 ? 200 : 20 }));

test('a spike -> metrics before, during and after, and the time to recover', () => {
  const text = textOf(SPIKE, (second) => (second >= 5 && second < 10 ? 900 : 20));
  expect(text).toMatch(/before the spike +2\.0 s +5\.0 s +\d+/);
  expect(text).toMatch(/during the spike +5\.0 s +7\.0 s/);
  expect(text).toMatch(/after the spike +7\.0 s +17\.0 s/);
  expect(text).toContain('Time to recover to the slowest p99 before the spike (20.0 ms): 3.0 s');
});

test('a spike from which the service never recovers -> a sentence', () => {
  expect(textOf(SPIKE, (second) => (second < 5 ? 20 : 900))).toContain('Did not recover to');
});

test('several other stages -> metrics of each', () => {
  const text = textOf(
    [10, 20].map((rate) => ({ durationS: 5, rate })),
    () => 20,
  );
  expect(text).toMatch(/10\/s +2\.0 s +5\.0 s/);
  expect(text).toMatch(/20\/s +5\.0 s +10\.0 s/);
  expect(text).not.toContain('recover');
});

test('a long constant rate -> the drift between its quarters; a short one -> nothing', () => {
  expect(textOf([{ durationS: 320, rate: 20 }], () => 20)).toMatch(
    /Drift from the first to the last quarter: p50 [\d.]+ to [\d.]+ ms \([+-]\d+%\), p99/,
  );
  expect(textOf([{ durationS: 20, rate: 20 }], () => 20).trim()).toBe('');
});
