import { describe, expect, test } from 'vitest';
import { createRecorder } from './recorder.ts';
import { createTimeline, decodeAll, mergeEndpoints } from './timeline.ts';

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
  test('a run longer than the most intervals -> neighbours merged, nothing lost', () => {
    const timeline = createTimeline({ mostIntervals: 4 });
    const recorder = recorded(Array.from({ length: 100 }, () => 5));
    timeline.add(recorder.takeIntervals(Number.POSITIVE_INFINITY));
    const intervals = timeline.intervals();
    expect(timeline.intervalMs()).toBe(4000);
    expect(intervals.map(({ startMs }) => startMs)).toEqual([0, 4000, 8000]);
    expect(intervals.map(({ endpoints }) => endpoints['swap']?.requests)).toEqual([40, 40, 20]);
    const [first] = intervals;
    expect(decodeAll([first?.endpoints['swap']?.latency ?? '']).totalCount).toBe(40);
  });

  test('the same interval of two processes -> one', () => {
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
  test('figures of two processes -> the figures of all their samples', () => {
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
  test('due in the warm-up -> in the intervals, not in the figures', () => {
    const recorder = createRecorder({ warmUpMs: 1000 });
    for (const dueMs of [0, 500, 1000, 1500]) {
      recorder.record({ endpoint: 'swap', dueMs, sentMs: dueMs, endMs: dueMs + 1 });
    }
    expect(recorder.endpoints()['swap']?.requests).toBe(2);
    const intervals = recorder.takeIntervals(2000);
    expect(intervals.map(({ endpoints }) => endpoints['swap']?.requests)).toEqual([2, 2]);
  });

  test('an interval not yet over -> kept for later', () => {
    const recorder = recorded([1, 1, 1]);
    expect(recorder.takeIntervals(999)).toEqual([]);
    expect(recorder.takeIntervals(1000)).toHaveLength(1);
  });
});
