import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forAll } from '../../fixtures/testing/for-all.testing.ts';
import { dueTimes, requestCount, type Stage, totalDurationS } from './schedule.ts';

const stageArbitrary: fc.Arbitrary<Stage> = fc.record({
  durationS: fc.integer({ min: 1, max: 20 }),
  fromRate: fc.integer({ min: 0, max: 300 }),
  toRate: fc.integer({ min: 0, max: 300 }),
});

describe('dueTimes', () => {
  test('constant rate -> evenly spaced', () => {
    expect([...dueTimes([{ durationS: 1, fromRate: 4, toRate: 4 }])]).toEqual([0, 250, 500, 750]);
  });

  test('ramp from zero -> request n is due when the area reaches n', () => {
    const times = [...dueTimes([{ durationS: 2, fromRate: 0, toRate: 4 }])];
    expect(times).toHaveLength(4);
    times.forEach((ms, n) => {
      expect((ms / 1000) ** 2).toBeCloseTo(n, 6);
    });
  });

  test('any stages -> ascending due times inside the run, as many as the area under the rate', () => {
    forAll(
      [fc.array(stageArbitrary, { minLength: 1, maxLength: 4 })],
      { seed: 1, numRuns: 50 },
      (stages) => {
        const times = [...dueTimes(stages)];
        expect(times).toHaveLength(requestCount(stages));
        const end = totalDurationS(stages) * 1000 + 1e-6;
        expect(times.findIndex((ms, i) => ms > end || ms < (times[i - 1] ?? 0))).toBe(-1);
      },
    );
  });

  test('shares of n processes -> add up to the schedule', () => {
    forAll(
      [stageArbitrary, fc.integer({ min: 1, max: 5 })],
      { seed: 1, numRuns: 50 },
      (stage, count) => {
        const parts = Array.from({ length: count }, (_, index) => [
          ...dueTimes([stage], { index, count }),
        ]);
        expect(parts.flat().sort((a, b) => a - b)).toEqual([...dueTimes([stage])]);
      },
    );
  });
});
