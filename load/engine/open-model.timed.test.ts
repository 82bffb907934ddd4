import { createServer } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { percentileMs } from '../model/histogram.ts';
import {
  closeServers,
  constantRate,
  listen,
  metricsOf,
  run,
  startStallingServer,
} from './engine.testing.ts';

afterEach(closeServers);

/*
 * Timing contracts, tested with real sockets and timers; `open-model-time.test.ts` tests the
 * theory. A metric may differ from theory by the lateness that the client reports.
 */
describe('runOpen', () => {
  test('a server that always takes 50 ms -> p50 within 2 ms of 50', async () => {
    const origin = await listen(
      createServer((_request, response) => {
        setTimeout(() => response.end('{}'), 50);
      }),
    );
    const result = await run(origin, {});
    const { hdr, requests } = metricsOf(result);
    expect(requests).toBe(400);
    expect(percentileMs(hdr, 50)).toBeGreaterThan(48);
    expect(percentileMs(hdr, 50)).toBeLessThan(52 + result.clientLag.p99Ms);
  });

  test.each([200, 2000])(
    'a server that stalls 1 s in 5, at %i/s -> the percentiles of its stalls, within 3 percent of theory',
    async (rate) => {
      const server = await startStallingServer();
      const result = await run(server.origin, {
        stages: constantRate(rate, 20),
        // Enough connections for every request that is due in a stall: only the stall itself adds
        // latency.
        connections: rate + 100,
      });
      const { hdr, requests, errors } = metricsOf(result);
      expect([requests, errors]).toEqual([20 * rate, {}]);
      const heldMs = [...(await server.heldMs())].sort((a, b) => a - b);
      expect(heldMs).toHaveLength(requests);
      for (const [percentile, theoryMs] of [
        [90, 500],
        [99, 950],
        [99.9, 995],
      ] as const) {
        const held = heldMs[Math.ceil((percentile / 100) * requests) - 1] as number;
        // A request sent late is held for a shorter time, so the held times fall below theory.
        expect(held, `held, p${percentile}`).toBeGreaterThan(
          0.97 * theoryMs - result.clientLag.p99Ms,
        );
        const offMs = Math.abs(percentileMs(hdr, percentile) - held);
        expect(offMs, `p${percentile}`).toBeLessThan(0.03 * theoryMs + result.clientLag.p99Ms);
      }
    },
  );
});
