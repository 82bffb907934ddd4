import { describe, expect, test } from 'vitest';
import { collectGarbage } from '../../fixtures/testing/collect-garbage.testing.ts';
import { decodeAll } from '../model/histogram.ts';
import type { IntervalMetrics } from '../model/metrics.ts';
import { LOAD_FORMATS } from '../report/formats.ts';
import { endpointResults, runSeries } from '../result/result-metrics.ts';
import { sampleResult } from '../result/sample-result.testing.ts';
import { createRecorder } from './recorder.ts';
import { createTimeline, mergeEndpoints } from './timeline.ts';

function recorded(latenciesMs: readonly number[], error?: 'timeout') {
  const recorder = createRecorder();
  latenciesMs.forEach((latency, i) => {
    const dueMs = i * 100;
    recorder.record({
      endpoint: 'swap',
      dueMs,
      sentMs: dueMs,
      endMs: dueMs + latency,
      ...(error === undefined ? {} : { error }),
    });
  });
  return recorder;
}

describe('createTimeline', () => {
  test('a run beyond the maximum number of intervals -> neighbors are merged, and nothing is lost', () => {
    const timeline = createTimeline({ maxIntervals: 4 });
    const recorder = recorded(Array.from({ length: 100 }, () => 5));
    timeline.add(recorder.takeIntervals(Number.POSITIVE_INFINITY));
    const intervals = timeline.intervals();
    expect(timeline.intervalMs()).toBe(4000);
    expect(intervals.map(({ startMs }) => startMs)).toEqual([0, 4000, 8000]);
    expect(intervals.map(({ endpoints }) => endpoints['swap']?.requests)).toEqual([40, 40, 20]);
    const [first] = intervals;
    expect(decodeAll([first?.endpoints['swap']?.latency ?? '']).totalCount).toBe(40);
  });

  test('the same interval of two processes -> merged', () => {
    const timeline = createTimeline();
    timeline.add(recorded([5, 5]).takeIntervals(1e9));
    timeline.add(recorded([7], 'timeout').takeIntervals(1e9));
    expect(timeline.intervals()).toHaveLength(1);
    expect(timeline.intervals()[0]?.endpoints['swap']).toMatchObject({
      requests: 3,
      errors: { timeout: 1 },
    });
  });
});

describe('mergeEndpoints', () => {
  test('metrics of two processes -> the metrics of all their samples', () => {
    const merged = mergeEndpoints([
      recorded([10, 20, 30]).endpoints(),
      recorded([40], 'timeout').endpoints(),
    ])['swap'];
    expect(merged).toMatchObject({ requests: 4, errors: { timeout: 1 } });
    const histogram = decodeAll([merged?.latency ?? '']);
    expect(histogram.totalCount).toBe(4);
    expect(histogram.maxValue / 1000).toBeCloseTo(40, 0);
  });
});

describe('createRecorder', () => {
  test('a request due in the warm-up -> only in the intervals', () => {
    const recorder = createRecorder({ warmUpMs: 1000 });
    for (const dueMs of [0, 500, 1000, 1500]) {
      recorder.record({ endpoint: 'swap', dueMs, sentMs: dueMs, endMs: dueMs + 1 });
    }
    expect(recorder.endpoints()['swap']?.requests).toBe(2);
    const intervals = recorder.takeIntervals(2000);
    expect(intervals.map(({ endpoints }) => endpoints['swap']?.requests)).toEqual([2, 2]);
  });

  test('an interval that has not ended -> not taken yet', () => {
    const recorder = recorded([1, 1, 1]);
    expect(recorder.takeIntervals(999)).toEqual([]);
    expect(recorder.takeIntervals(1000)).toHaveLength(1);
  });
});

const kinds = Array.from({ length: 10 }, (_, n) => `swap kind-${n}`);

function oneSecond(startMs: number): IntervalMetrics {
  const recorder = createRecorder();
  for (let n = 0; n < 6000; n++) {
    const dueMs = startMs + n / 6;
    const latencyMs = 0.5 + ((n * 7919) % 1000) ** 2 / 4000;
    const endpoint = kinds[n % kinds.length] as string;
    recorder.countSent(dueMs);
    recorder.record({ endpoint, dueMs, sentMs: dueMs, endMs: dueMs + latencyMs, status: 200 });
  }
  const [first] = recorder.takeIntervals(Number.POSITIVE_INFINITY);
  return first as IntervalMetrics;
}

describe('a long run', () => {
  test('half a million requests -> constant memory', () => {
    const recorder = createRecorder();
    const timeline = createTimeline({ maxIntervals: 50 });
    const perSecond = 1600;
    const seconds = 320;
    const heapAfter: number[] = [];
    for (let n = 0; n < seconds * perSecond; n++) {
      const dueMs = (n * 1000) / perSecond;
      const endMs = dueMs + 0.5 + ((n * 7919) % 1000) ** 2 / 4000;
      recorder.countSent(dueMs);
      recorder.record({ endpoint: 'swap', dueMs, sentMs: dueMs, endMs, status: 200 });
      if (n % perSecond === 0) timeline.add(recorder.takeIntervals(dueMs));
      if (n % (seconds * 200) !== 0) continue;
      // Runs twice, because the second pass frees objects that the first pass found unused.
      collectGarbage();
      collectGarbage();
      heapAfter.push(process.memoryUsage().heapUsed + process.memoryUsage().external);
    }
    timeline.add(recorder.takeIntervals(Number.POSITIVE_INFINITY));
    const [early, late] = [heapAfter[2] as number, heapAfter.at(-1) as number];
    // Memory must not grow with the number of requests (320,000 here).
    expect(late - early).toBeLessThan(2e6);
    expect(timeline.intervals().length).toBeLessThanOrEqual(50);
    const sent = timeline.intervals().reduce((sum, interval) => sum + interval.sent, 0);
    expect(sent).toBe(seconds * perSecond);
    expect(recorder.endpoints()['swap']?.requests).toBe(seconds * perSecond);
  });

  test('an hour of ten kinds of requests -> a result below 5 MB', async () => {
    const second = oneSecond(0);
    const intervals = Array.from({ length: 600 }, (_, n) => ({ ...second, startMs: n * 8000 }));
    const measured = { intervals, intervalMs: 8000, durationMs: 4_800_000 };
    const recorder = createRecorder();
    for (const endpoint of kinds) {
      recorder.record({ endpoint, dueMs: 0, sentMs: 0, endMs: 1, status: 200 });
    }
    const result = {
      ...sampleResult({ seconds: 3, rate: 20 }),
      endpoints: endpointResults(recorder.endpoints(), kinds, measured),
      series: runSeries(measured),
    };
    expect(result.endpoints[1]?.series).toHaveLength(600);
    for (const { load } of Object.values(LOAD_FORMATS)) {
      const { write } = await load();
      expect(write(result).length).toBeLessThan(5e6);
    }
  });
});
