import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { closeServers, figures, listen, percentileMs, run } from './engine.testing.ts';

afterEach(closeServers);

describe('runEngine', () => {
  test('three shares of one schedule -> the rate asked for, not three times it', async () => {
    let seen = 0;
    const origin = await listen(
      createServer((_request, response) => {
        seen += 1;
        response.end('{}');
      }),
    );
    const results = await Promise.all(
      [0, 1, 2].map((index) => run(origin, { share: { index, count: 3 }, connections: 5 })),
    );
    expect(results.map((result) => figures(result).requests)).toEqual([134, 133, 133]);
    expect(seen).toBe(400);
  });

  test('a service that never answers -> every request is a time-out with its latency', async () => {
    const origin = await listen(createServer(() => {}));
    const { hdr, requests, errors } = figures(
      await run(origin, {
        workload: { model: 'open', stages: [{ durationS: 1, fromRate: 20, toRate: 20 }] },
        timeoutMs: 300,
      }),
    );
    expect(requests).toBe(20);
    expect(errors).toEqual({ timeout: 20 });
    expect(percentileMs(hdr, 0)).toBeGreaterThanOrEqual(300);
  });

  test('more asked than the connections carry -> what was not sent is counted, with its wait', async () => {
    const origin = await listen(
      createServer((_request, response) => {
        setTimeout(() => response.end('{}'), 400);
      }),
    );
    const { requests, errors } = figures(
      await run(origin, {
        workload: { model: 'open', stages: [{ durationS: 1, fromRate: 50, toRate: 50 }] },
        connections: 2,
        timeoutMs: 1000,
      }),
    );
    expect(requests).toBe(50);
    expect(errors.unsent).toBeGreaterThan(30);
  });

  test('nothing listens -> refused, for every request', async () => {
    const server = createServer();
    const origin = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    const { requests, errors } = figures(
      await run(origin, {
        workload: { model: 'open', stages: [{ durationS: 1, fromRate: 20, toRate: 20 }] },
        connections: 5,
        timeoutMs: 1000,
      }),
    );
    expect(requests).toBe(20);
    expect((errors.refused ?? 0) + (errors.unsent ?? 0)).toBe(20);
    expect(errors.refused).toBeGreaterThan(0);
  });

  test('a reset in mid-body -> one loss each, and the next reply is read whole', async () => {
    let count = 0;
    const origin = await listen(
      createTcpServer((socket) => {
        socket.on('error', () => {});
        socket.on('data', () => {
          count += 1;
          const head = 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n';
          if (count % 2 === 1) socket.write(`${head}half`, () => socket.resetAndDestroy());
          else socket.write(`${head}0123456789`);
        });
      }),
    );
    const bodies: string[] = [];
    const { requests, errors, statuses } = figures(
      await run(origin, {
        workload: { model: 'open', stages: [{ durationS: 1, fromRate: 20, toRate: 20 }] },
        connections: 1,
        samplesPerSecond: 1000,
        onSample: ({ body }) => bodies.push(body.toString()),
      }),
    );
    expect(requests).toBe(20);
    expect(errors).toEqual({ reset: 10 });
    expect(statuses).toEqual({ 200: 10 });
    expect(bodies).toEqual(Array.from({ length: 10 }, () => '0123456789'));
  });

  test('a reply that is not HTTP -> a protocol error', async () => {
    const origin = await listen(
      createTcpServer((socket) => {
        socket.on('error', () => {});
        socket.on('data', () => socket.write('what?\r\n\r\n'));
      }),
    );
    const { requests, errors } = figures(
      await run(origin, {
        workload: { model: 'open', stages: [{ durationS: 1, fromRate: 10, toRate: 10 }] },
      }),
    );
    expect(requests).toBe(10);
    expect(errors).toEqual({ protocol: 10 });
  });

  test('Connection: close on each reply -> no request is lost', async () => {
    const origin = await listen(
      createServer((_request, response) => {
        response.setHeader('connection', 'close').end('{}');
      }),
    );
    const { requests, errors } = figures(await run(origin, { connections: 5 }));
    expect(requests).toBe(400);
    expect(errors).toEqual({});
  });

  test('idle connections that the service closes -> used again one request at a time', async () => {
    let busy = 0;
    const server = createServer((_request, response) => {
      busy += 1;
      setTimeout(() => {
        response.end('{}');
        busy -= 1;
        if (busy === 0) setTimeout(() => server.closeIdleConnections(), 50);
      }, 100);
    });
    const origin = await listen(server);
    const burst = { durationS: 0.5, fromRate: 100, toRate: 100 };
    const pause = { durationS: 1, fromRate: 1, toRate: 1 };
    const { requests, errors } = figures(
      await run(origin, {
        workload: { model: 'open', stages: [burst, pause, burst, pause, burst] },
        // Fewer than a burst wants, so that all of them are used.
        connections: 8,
      }),
    );
    expect(requests).toBe(152);
    expect(errors).toEqual({});
  });

  test('a service that goes away and comes back -> every request that was due is in the figures', async () => {
    let server = createServer((_request, response) => response.end('{}'));
    const origin = await listen(server);
    setTimeout(() => {
      server.close();
      server.closeAllConnections();
    }, 600);
    setTimeout(() => {
      server = createServer((_request, response) => response.end('{}'));
      server.listen(Number(origin.port), '127.0.0.1');
    }, 1200);
    const { requests, errors, statuses } = figures(
      await run(origin, {
        workload: { model: 'open', stages: [{ durationS: 2, fromRate: 100, toRate: 100 }] },
        connections: 10,
        timeoutMs: 1000,
      }),
    );
    server.closeAllConnections();
    server.close();
    expect(requests).toBe(200);
    expect(errors.refused).toBeGreaterThan(20);
    expect(Object.keys(errors).filter((kind) => !['refused', 'reset'].includes(kind))).toEqual([]);
    expect(statuses['200']).toBeGreaterThan(100);
    expect((errors.refused ?? 0) + (errors.reset ?? 0) + (statuses['200'] ?? 0)).toBe(200);
  });

  test('another status than expected -> an error of that status', async () => {
    const origin = await listen(
      createServer((request, response) => {
        response.statusCode = request.url === '/bad' ? 400 : 500;
        response.end('{}');
      }),
    );
    const { errors, statuses } = figures(
      await run(origin, {
        requestAt: (number) =>
          number % 2 === 0
            ? { endpoint: 'swap', target: '/bad', expect: 'refusal' }
            : { endpoint: 'swap', target: '/', expect: 'success' },
      }),
    );
    expect(statuses).toEqual({ 400: 200, 500: 200 });
    expect(errors).toEqual({ status: 200 });
  });

  test('closed model -> as many as the connections carry, ending in time', async () => {
    const origin = await listen(
      createServer((_request, response) => {
        setTimeout(() => response.end('{}'), 20);
      }),
    );
    const result = await run(origin, {
      workload: { model: 'closed', durationS: 1 },
      connections: 4,
    });
    expect(figures(result).requests).toBeGreaterThan(100);
    expect(figures(result).requests).toBeLessThanOrEqual(208);
    expect(result.durationMs).toBeLessThan(1500);
  });

  test('a client with no time of its own -> its lag is told, beside the latency', async () => {
    const origin = await listen(createServer((_request, response) => response.end('{}')));
    setTimeout(() => {
      const until = performance.now() + 300;
      while (performance.now() < until);
    }, 500);
    const { clientLag } = await run(origin, {});
    // 60 of 400 requests were due while it was busy; all connections were free.
    expect(clientLag.p99Ms).toBeGreaterThan(200);
    expect(clientLag.maxMs).toBeLessThan(1000);
  });

  test('an abort with a backlog -> what was due and not sent is counted', async () => {
    const origin = await listen(createServer(() => {}));
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 600);
    const { requests, errors } = figures(
      await run(origin, { connections: 2, signal: controller.signal }),
    );
    expect(errors).toEqual({ unsent: requests });
    expect(requests).toBeGreaterThan(50);
    expect(requests).toBeLessThan(200);
  });

  test('an abort in the middle -> what was measured, and marked', async () => {
    const origin = await listen(createServer((_request, response) => response.end('{}')));
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 500);
    const result = await run(origin, { signal: controller.signal });
    expect(result.aborted).toBe(true);
    expect(figures(result).requests).toBeGreaterThan(50);
    expect(figures(result).requests).toBeLessThan(200);
  });

  test('idle connections longer than the time-out -> no false time-out', async () => {
    const origin = await listen(createServer((_request, response) => response.end('{}')));
    const { requests, errors } = figures(
      await run(origin, {
        workload: { model: 'open', stages: [{ durationS: 3, fromRate: 1, toRate: 1 }] },
        timeoutMs: 500,
      }),
    );
    expect(requests).toBe(3);
    expect(errors).toEqual({});
  });
});
