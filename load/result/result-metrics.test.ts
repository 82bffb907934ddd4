import { describe, expect, test } from 'vitest';
import { createRecorder } from '../engine/recorder.ts';
import { dueBetween } from '../engine/schedule.ts';
import type { IntervalMetrics } from '../model/metrics.ts';
import { runSeries } from './result-metrics.ts';

function intervals(rate: number, seconds: number, latencyMs: number): IntervalMetrics[] {
  const recorder = createRecorder();
  for (let n = 0; n < rate * seconds; n++) {
    const dueMs = (n * 1000) / rate;
    recorder.countSent(dueMs);
    const lost = n % 10 === 0 ? { error: 'timeout' as const } : { status: 200 };
    recorder.record({ endpoint: 'swap', dueMs, sentMs: dueMs, endMs: dueMs + latencyMs, ...lost });
  }
  return recorder.takeIntervals(Number.POSITIVE_INFINITY);
}

describe('runSeries', () => {
  const stages = [{ durationS: 4, fromRate: 100, toRate: 100 }];

  test('a slow service -> sends and replies are counted in separate intervals', () => {
    const series = runSeries(
      { intervals: intervals(100, 4, 1500), intervalMs: 1000, durationMs: 5500 },
      stages,
    );
    expect(series.map(({ reached }) => reached)).toEqual([100, 100, 100, 100, 0, 0]);
    expect(series.map(({ requested }) => requested)).toEqual([100, 100, 100, 100, 0, 0]);
    expect(series.map(({ requests }) => requests)).toEqual([0, 50, 100, 100, 100, 50]);
    expect(series.map(({ errors }) => errors['timeout'] ?? 0)).toEqual([0, 5, 10, 10, 10, 5]);
    expect(series.map(({ succeeded }) => succeeded)).toEqual([0, 45, 90, 90, 90, 90]);
  });

  test('a short last interval -> merged into the previous interval, over the time of both', () => {
    const series = runSeries(
      { intervals: intervals(100, 4.1, 0.5), intervalMs: 1000, durationMs: 4100 },
      stages,
    );
    expect(series).toHaveLength(4);
    expect(series[3]?.reached).toBeCloseTo(110 / 1.1, 6);
    expect(series[3]?.requests).toBe(110);
  });

  test('a run that ends early -> the rate of the last interval is over its real length', () => {
    const series = runSeries(
      { intervals: intervals(100, 2.6, 0.5), intervalMs: 1000, durationMs: 2600 },
      [{ durationS: 3600, fromRate: 100, toRate: 100 }],
    );
    expect(series.map(({ reached }) => Math.round(reached))).toEqual([100, 100, 100]);
  });
});

describe('dueBetween', () => {
  test('a span between two requests -> whole requests', () => {
    const stages = [{ durationS: 1, fromRate: 50, toRate: 50 }];
    expect(dueBetween(stages, 0.25, 1)).toBe(37);
    expect(dueBetween(stages, 0, 1)).toBe(50);
    expect(dueBetween(stages, 0, 9)).toBe(50);
  });
});
