import { createServer } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import {
  closeServers,
  figures,
  listen,
  percentileMs,
  run,
  startStallingServer,
} from './engine.testing.ts';

afterEach(closeServers);

// Another program's burst on this machine is no fault of the client's.
const busyMachine = { retry: { count: 3, delay: 5000 } };

/* The contracts of time: they need a core for the client and one for the server. */
describe('runEngine', () => {
  test('a server that always takes 50 ms -> p50 within 2 ms of 50', busyMachine, async () => {
    const origin = await listen(
      createServer((_request, response) => {
        setTimeout(() => response.end('{}'), 50);
      }),
    );
    const { hdr, requests } = figures(await run(origin, {}));
    expect(requests).toBe(400);
    expect(percentileMs(hdr, 50)).toBeGreaterThan(48);
    expect(percentileMs(hdr, 50)).toBeLessThan(52);
  });

  test.each([200, 2000])(
    'a server that stalls 1 s in 5, at %i/s -> the percentiles of theory within 3 percent',
    { ...busyMachine, timeout: 60_000 },
    async (rate) => {
      const origin = await startStallingServer();
      const result = await run(origin, {
        workload: { model: 'open', stages: [{ durationS: 20, fromRate: rate, toRate: rate }] },
        // Enough that what is due in a stall is all sent: what remains is the stall itself.
        connections: rate + 100,
      });
      const { hdr, requests, errors } = figures(result);
      expect(errors).toEqual({});
      expect(requests).toBe(20 * rate);
      // A fifth of the requests fall into a stall and wait for the rest of it: latency is uniform over 0 to 1 s there.
      for (const [percentile, theoryMs] of [
        [90, 500],
        [99, 950],
        [99.9, 995],
      ] as const) {
        const seenMs = percentileMs(hdr, percentile);
        expect(Math.abs(seenMs - theoryMs) / theoryMs, `p${percentile} ${seenMs} ms`).toBeLessThan(
          0.03,
        );
      }
    },
  );
});
