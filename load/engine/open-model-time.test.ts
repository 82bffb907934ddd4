import { describe, expect, test } from 'vitest';
import { percentileMs } from '../model/histogram.ts';
import type { IntervalMetrics } from '../model/metrics.ts';
import { constantRate, metricsOf } from './engine.testing.ts';
import type { EngineClock } from './open-model.ts';
import { createSimulation, type ServiceTime, simulateRun } from './simulation.testing.ts';

/**
 * Replies immediately, except during one second in every five: requests in that second wait until
 * the second is over.
 */
const stalling: ServiceTime = (nowMs) => Math.max(0, 1000 - (nowMs % 5000));
const never: ServiceTime = () => undefined;

/**
 * A fifth of the requests fall into a stall and wait for its end: their latency is uniform from 0
 * to 1 s.
 */
const THEORY_MS = { 80: 0, 90: 500, 99: 950, 99.9: 995 };

function expectNear(seenMs: number, theoryMs: number): void {
  expect(Math.abs(seenMs - theoryMs), `${seenMs} ms, in theory ${theoryMs}`).toBeLessThan(1);
}

/* Timing contracts, tested on a simulated clock. */
describe('runOpen', () => {
  test('a service that takes 50 ms -> 50 ms at every percentile', async () => {
    const { hdr, requests } = metricsOf(await simulateRun(() => 50, {}));
    expect(requests).toBe(400);
    for (const percentile of [0, 50, 99, 100]) {
      expectNear(percentileMs(hdr, percentile), 50);
    }
  });

  test.each([
    [200, 300],
    [200, 40],
    [2000, 2100],
    [2000, 400],
  ])(
    'a service that stalls 1 s in 5, at %i/s over %i connections -> the theoretical percentiles',
    async (rate, connections) => {
      const result = await simulateRun(stalling, {
        stages: constantRate(rate, 10),
        connections,
      });
      const { hdr, requests, errors } = metricsOf(result);
      expect([requests, errors]).toEqual([10 * rate, {}]);
      for (const [percentile, theoryMs] of Object.entries(THEORY_MS)) {
        expectNear(percentileMs(hdr, Number(percentile)), theoryMs);
      }
    },
  );

  test('too few connections in a stall -> the wait for a connection is in the latency, not in the service time', async () => {
    const result = await simulateRun(stalling, { connections: 10, stages: constantRate(200, 5) });
    const { hdr, service } = metricsOf(result);
    expectNear(percentileMs(hdr, 98), 900);
    expect(percentileMs(service, 98)).toBeLessThan(1);
  });

  test('a service that never replies -> every request is a timeout, with its wait as latency', async () => {
    const { hdr, requests, errors } = metricsOf(
      await simulateRun(never, { stages: constantRate(20, 1), timeoutMs: 300 }),
    );
    expect([requests, errors]).toEqual([20, { timeout: 20 }]);
    expect(percentileMs(hdr, 0)).toBeGreaterThan(299);
    expect(percentileMs(hdr, 100)).toBeLessThan(306);
  });

  test('connections idle for longer than the timeout -> no false timeout', async () => {
    const { requests, errors } = metricsOf(
      await simulateRun(() => 1, { stages: constantRate(1, 3), timeoutMs: 500 }),
    );
    expect([requests, errors]).toEqual([3, {}]);
  });

  test('a rate too high for the connections -> unsent requests are counted, with their wait as latency', async () => {
    const { hdr, requests, errors, sentInTime } = metricsOf(
      await simulateRun(() => 400, {
        stages: constantRate(50, 1),
        connections: 2,
        timeoutMs: 1100,
      }),
    );
    // Two requests every 400 ms, for one second of the schedule and one second of timeout.
    expect([requests, errors, sentInTime]).toEqual([50, { timeout: 2, unsent: 38 }, 6]);
    expect(percentileMs(hdr, 100)).toBeGreaterThan(1100);
  });

  test('a busy client -> its lag is reported, separate from the latency', async () => {
    const simulation = createSimulation();
    simulation.clock.after(502, () => simulation.sleep(300));
    const result = await simulateRun(() => 1, { connections: 60 }, simulation);
    // 60 of 400 requests were due while the client was busy, the first after 3 ms; all connections
    // were free.
    expectNear(result.clientLag.maxMs, 297);
    expectNear(result.clientLag.p99Ms, 277);
    expectNear(percentileMs(metricsOf(result).hdr, 99), 278);
  });

  test('requests due between two milliseconds -> sent at most half a millisecond early or late, without polling', async () => {
    const simulation = createSimulation();
    const sleepsMs: number[] = [];
    const clock: EngineClock = {
      ...simulation.clock,
      after(ms, callBack) {
        sleepsMs.push(ms);
        return simulation.clock.after(ms, callBack);
      },
    };
    const options = { stages: constantRate(420, 2) };
    const result = await simulateRun(() => 3, options, { ...simulation, clock });
    const { hdr, requests } = metricsOf(result);
    expect(requests).toBe(840);
    expect(percentileMs(hdr, 0)).toBeGreaterThanOrEqual(2.99);
    expect(percentileMs(hdr, 100)).toBeLessThan(3.6);
    expect(result.clientLag.maxMs).toBeLessThan(0.6);
    // For each request, one callback sends it and one receives its reply.
    expect(sleepsMs.length).toBeLessThan(2 * requests + 20);
    expect(sleepsMs.every((ms) => Number.isInteger(ms) && ms > 0)).toBe(true);
  });

  test.each([100, 400])(
    '%i requests a second, with late timers, each reply before the next request is due -> each request is sent when due',
    async (rate) => {
      const simulation = createSimulation();
      const clock: EngineClock = {
        ...simulation.clock,
        after: (ms, callBack) => simulation.clock.after(ms + 0.9, callBack),
      };
      const options = { stages: constantRate(rate, 1) };
      const { clientLag } = await simulateRun(() => 0.4, options, { ...simulation, clock });
      expect(clientLag.maxMs).toBeLessThan(0.1);
    },
  );

  test.each([
    ['replies to few of the requests at a time', 50, true],
    ['replies to many of the requests at a time', 8, false],
  ])(
    '%s, on %i connections -> waits for more replies: %s',
    async (_what, connections, areGathered) => {
      const simulation = createSimulation();
      let heldMs = 0;
      const clock: EngineClock = {
        ...simulation.clock,
        hold(ms) {
          heldMs += ms;
          simulation.clock.hold(ms);
        },
      };
      let doneMs = 0;
      const oneByOne: ServiceTime = (nowMs) => {
        doneMs = Math.max(doneMs, nowMs) + 0.02;
        return doneMs - nowMs;
      };
      // The rate exceeds the service's capacity: every connection is always busy.
      const options = { stages: constantRate(200_000, 0.1), timeoutMs: 10, connections };
      await simulateRun(oneByOne, options, { ...simulation, clock });
      expect(heldMs > 0).toBe(areGathered);
    },
  );

  test('a client that waits for connections -> no client lag', async () => {
    const { clientLag } = await simulateRun(stalling, { connections: 3 });
    expect(clientLag.maxMs).toBeLessThan(1);
  });

  test.each([
    ['a reply to each request', () => 1, 502.5, { requests: 101, errors: {} }],
    ['a backlog', never, 502.5, { requests: 99, errors: { unsent: 99 } }],
  ] as const)(
    'an abort with %s -> only metrics of requests that were due, marked as aborted',
    async (_with, service, atMs, expected) => {
      const simulation = createSimulation();
      const controller = new AbortController();
      simulation.clock.after(atMs, () => controller.abort());
      const result = await simulateRun(
        service,
        { connections: 2, signal: controller.signal },
        simulation,
      );
      expect(result.aborted).toBe(true);
      expect(result.durationMs).toBeCloseTo(atMs, 0);
      expect(metricsOf(result)).toMatchObject(expected);
    },
  );

  test('an abort before every connection was tried -> no metrics', async () => {
    const controller = new AbortController();
    controller.abort();
    const result = await simulateRun(() => 1, { signal: controller.signal });
    expect(result).toMatchObject({ aborted: true, sent: 0, durationMs: 0, endpoints: {} });
  });

  test('a warm-up -> only in the intervals', async () => {
    const intervals: IntervalMetrics[] = [];
    const result = await simulateRun(() => 1, {
      warmUpS: 1,
      onIntervals: (ended) => intervals.push(...ended),
    });
    expect(metricsOf(result).requests).toBe(200);
    expect(result.sent).toBe(400);
    expect(intervals.map(({ startMs, sent }) => [startMs, sent])).toEqual([
      [0, 200],
      [1000, 200],
    ]);
  });
});
