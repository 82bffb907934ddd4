import { afterAll, describe, expect, test } from 'vitest';
import { serve } from '../../fixtures/testing/tiny-server.testing.ts';
import { sampleMix as mix } from '../mix/sample-mix.testing.ts';
import { decodeAll } from '../model/histogram.ts';
import type { LoadSample } from './client.ts';
import { measure } from './measure.ts';

let seen: string[] = [];
const { url, close } = await serve((request, response) => {
  seen.push(request.url ?? '');
  response.setHeader('x-kind', 'test');
  response.end('{"a":1}');
});
afterAll(close);
const common = {
  origin: url,
  apiKey: '',
  samplesPerSecond: 100,
  workload: { model: 'open', stages: [{ durationS: 2, fromRate: 100, toRate: 100 }] },
  connections: 9,
  timeoutMs: 60_000,
  warmUpS: 0,
  mix,
  onIntervals: () => {},
  onSamples: () => {},
} as const;

describe('measure', () => {
  test('two processes -> the requested rate, the same requests as from one process, merged metrics', async () => {
    seen = [];
    const samples: LoadSample[] = [];
    const two = await measure({
      ...common,
      processes: 2,
      samplesPerSecond: 1000,
      onSamples: (some) => samples.push(...some),
    });
    const requestsOfTwo = seen.sort();
    seen = [];
    await measure({ ...common, processes: 1 });
    expect(requestsOfTwo).toEqual(seen.sort());
    expect(two.sent).toBe(200);
    expect(two.endpoints['swap']).toMatchObject({
      requests: 200,
      errors: {},
      statuses: { 200: 200 },
    });
    expect(decodeAll([two.endpoints['swap']?.latency ?? '']).totalCount).toBe(200);
    const overTime = two.intervals.map(({ endpoints }) => endpoints['swap']?.requests ?? 0);
    expect(overTime.reduce((sum, requests) => sum + requests, 0)).toBe(200);
    expect(samples).toHaveLength(200);
    const [sample] = samples;
    expect(sample?.body.toString()).toBe('{"a":1}');
    expect(sample?.rawHeaders).toContain('x-kind');
  });

  test('an abort -> the metrics so far', async () => {
    const controller = new AbortController();
    const result = await measure({
      ...common,
      workload: { model: 'open', stages: [{ durationS: 60, fromRate: 50, toRate: 50 }] },
      processes: 2,
      onIntervals: () => controller.abort(),
      signal: controller.signal,
    });
    expect(result.aborted).toBe(true);
    expect(result.sent).toBeGreaterThan(0);
    expect(result.durationMs).toBeLessThan(60_000);
  });
});
