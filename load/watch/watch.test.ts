import { get } from 'node:http';
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createRecorder } from '../engine/recorder.ts';
import type { LoadProgress } from '../model/metrics.ts';
import { sampleResult } from '../result/sample-result.testing.ts';
import { createLatestSecond } from './latest-second.ts';
import { startLivePage } from './live-page.ts';
import { createLiveView } from './live-view.ts';
import { startMetricsServer } from './metrics-server.ts';

function progress(
  second: number,
  requests: number,
  more: Partial<LoadProgress> = {},
): LoadProgress {
  const recorder = createRecorder();
  for (let n = 0; n < requests; n++) {
    const dueMs = second * 1000 + n;
    recorder.countSent(dueMs);
    recorder.record({
      endpoint: 'swap',
      dueMs,
      sentMs: dueMs,
      endMs: dueMs + 10,
      ...(n === 0 ? { error: 'timeout' as const } : { status: 200 }),
    });
  }
  const intervals = recorder.takeIntervals(Number.POSITIVE_INFINITY);
  return {
    ...{ elapsedS: second + 1, totalS: 10, warmUpS: 0, intervals },
    sampleCount: () => ({ judged: 9, wrong: 2 }),
    requestedRate: () => 50,
    ...more,
  };
}

describe('createLatestSecond', () => {
  test('two processes -> the sum of the newest second that both have reported', () => {
    const latest = createLatestSecond();
    latest(progress(0, 20));
    latest(progress(0, 25));
    expect(latest(progress(1, 20))).toMatchObject({
      errors: 3,
      second: { startS: 0, sent: 45, ended: 45 },
    });
    expect(latest(progress(2, 20))).toMatchObject({ second: { startS: 1, sent: 20 } });
  });

  test('the next step of a search -> its seconds are not added to earlier seconds', () => {
    const latest = createLatestSecond();
    latest(progress(0, 20, { step: { number: 1, rate: 20 } }));
    latest(progress(5, 20, { step: { number: 1, rate: 20 } }));
    const step = { number: 2, rate: 20 };
    expect(latest(progress(0, 40, { step }))).toMatchObject({ second: { startS: 0, sent: 40 } });
  });
});

describe('createLiveView', () => {
  async function watch(isTTY: boolean, seconds: number, columns = 100): Promise<string> {
    const stream = Object.assign(new PassThrough(), { isTTY, columns, rows: 30 });
    let now = 0;
    const view = await createLiveView(stream, () => now, { NO_COLOR: '1' });
    for (let second = 0; second < seconds; second++) {
      now = second * 1000;
      view.show(progress(second, 50));
    }
    view.end();
    return String(stream.read() ?? '');
  }

  test('without a terminal -> a line every five seconds, without escape sequences', async () => {
    const lines = (await watch(false, 11)).trimEnd().split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[1]).toMatch(
      /^6 of 10 s, 50\/s of 50\/s, p50 10\.\d ms, p90 10\.\d ms, p99 10\.\d ms, 6 errors$/,
    );
    expect(lines.join('')).toBe(stripVTControlCharacters(lines.join('')));
  });

  test('without a terminal, in a search -> also a line at each step', async () => {
    const stream = new PassThrough();
    const view = await createLiveView(stream, () => 0, {});
    for (const number of [1, 1, 2, 3]) {
      view.show(progress(0, 50, { step: { number, rate: 50 * number } }));
    }
    const lines = String(stream.read()).trimEnd().split('\n');
    expect(lines.map((line) => line.split(':')[0])).toEqual([
      'step 1 at 50/s',
      'step 2 at 100/s',
      'step 3 at 150/s',
    ]);
  });

  test('on a terminal -> a bar, rate, percentiles and errors, redrawn', async () => {
    const screen = await watch(true, 5);
    expect(screen).toContain('50%  5 of 10 s');
    expect(screen).toContain('50/s of 50/s   p50 10.0 ms   p90 10.0 ms');
    expect(screen).toContain('5 errors');
    expect(screen).toContain('█'.repeat(15) + '░'.repeat(15));
    expect(screen).toContain('\u001b[');
  });

  test.each([40, 60, 80])(
    'on a terminal of %i columns -> every line is narrower',
    async (columns) => {
      const lines = stripVTControlCharacters(await watch(true, 3, columns)).split('\n');
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(columns);
      expect(lines.join(' ')).toContain('3 errors');
    },
  );
});

describe('startMetricsServer', () => {
  test('updates -> Prometheus text, only on loopback', async () => {
    const metrics = await startMetricsServer(0);
    try {
      metrics.update(progress(0, 50));
      metrics.update(progress(1, 40));
      const text = await (await fetch(metrics.url)).text();
      expect(text).toContain('swapcheck_load_requests_total{endpoint="swap"} 90');
      expect(text).toContain('swapcheck_load_errors_total{endpoint="swap",kind="timeout"} 2');
      expect(text).toContain('swapcheck_load_rate{kind="requested"} 50');
      expect(text).toMatch(/swapcheck_load_latency_seconds\{quantile="0.99"\} 0\.01/);
      expect((await fetch(new URL('/', metrics.url))).status).toBe(404);
      expect(new URL(metrics.url).hostname).toBe('127.0.0.1');
      await expect(startMetricsServer(Number(new URL(metrics.url).port))).rejects.toThrow(
        'EADDRINUSE',
      );
    } finally {
      await metrics.close();
    }
  });
});

describe('startLivePage', () => {
  test('a run -> a page, and events: first the points so far, then one per second, last the verdict', async () => {
    const live = await startLivePage(0, { title: 'smoke on <b>', thresholds: [] });
    const page = await fetch(live.url);
    expect(await page.text()).toContain('smoke on &lt;b&gt;');
    live.update(progress(0, 20));
    const { body } = await fetch(`${live.url}/events`);
    live.update(progress(1, 30));
    live.update(progress(2, 40));
    live.finish({ ...sampleResult(), verdict: 'failed', reason: 'p99 is too high' });
    const text = await new Response(body).text();
    await live.close();
    const events = text
      .trim()
      .split('\n\n')
      .map((event) => JSON.parse(event.replace('data: ', '')));
    const seconds = events.map(({ points }) => points.map((point: { atS: number }) => point.atS));
    expect(seconds).toEqual([[0], [], [1], sampleResult().series.map(({ startS }) => startS)]);
    expect(events[0]).toMatchObject({
      errors: 1,
      points: [{ sent: 20, requested: 50, p50: expect.any(Number) }],
    });
    expect(events.at(-1)).toMatchObject({
      errors: 3,
      verdict: 'failed',
      reason: 'p99 is too high',
    });
  });

  test('thresholds, endpoints and errors so far -> without the warm-up; unexpected statuses by number', async () => {
    const live = await startLivePage(0, {
      title: 'smoke',
      thresholds: [
        { metric: 'errors', max: 0.01 },
        { metric: 'p99', max: 250 },
        { metric: 'wrong', max: 0 },
        { metric: 'p99', endpoint: 'tokens', max: 9 },
      ],
    });
    live.update(progress(0, 20, { warmUpS: 1 }));
    const recorder = createRecorder();
    for (let n = 0; n < 10; n++) {
      const times = { dueMs: 1000, sentMs: 1000, endMs: 1010 };
      const isRejected = n < 3;
      recorder.record({
        ...{ endpoint: 'swap', ...times, status: isRejected ? 429 : 200 },
        ...(isRejected && { error: 'status' as const }),
      });
    }
    const intervals = recorder.takeIntervals(Number.POSITIVE_INFINITY);
    live.update(progress(1, 0, { warmUpS: 1, intervals }));
    const { body } = await fetch(`${live.url}/events`);
    live.finish({ ...sampleResult(), verdict: 'failed', reason: 'errors' });
    const [event = ''] = (await new Response(body).text()).split('\n\n');
    await live.close();
    const { thresholds, endpoints, failures } = JSON.parse(event.replace('data: ', ''));
    expect(thresholds).toEqual([
      ['crossed', 'errors', 'at most 1.00%', '30.0%'],
      ['held', 'p99', 'at most 250 ms', '10.0 ms'],
      ['crossed', 'wrong', 'at most 0', '2'],
      ['not measured', 'tokens: p99', 'at most 9.00 ms', 'not measured'],
    ]);
    expect(endpoints.map((row: string[]) => row.slice(0, 3))).toEqual([
      ['all', '10', '3'],
      ['swap', '10', '3'],
    ]);
    expect(failures).toEqual([['status 429', '3', 'swap: 3']]);
  });

  test('a request for another host -> rejected', async () => {
    const live = await startLivePage(0, { title: 'smoke', thresholds: [] });
    const status = await new Promise((resolve) =>
      get(live.url, { headers: { host: 'evil.example' } }, ({ statusCode }) => resolve(statusCode)),
    );
    await live.close();
    expect(status).toBe(403);
  });
});
