import { createServer } from 'node:http';
import { afterAll, describe, expect, test } from 'vitest';
import { closeServers, constantRate, listen, metricsOf, run } from './engine.testing.ts';

afterAll(closeServers);

describe.concurrent('runOpen', () => {
  test('three shares of one schedule -> add up to the requested rate', async () => {
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
    expect(results.map((result) => metricsOf(result).requests)).toEqual([134, 133, 133]);
    expect(seen).toBe(400);
  });

  test('rare errors that the sampler does not select -> the first reply of each status is sampled', async () => {
    let requests = 0;
    const origin = await listen(
      createServer((_request, response) => {
        requests += 1;
        if (requests % 20 === 0) response.writeHead(503).end('whole');
        else if (requests % 20 === 10) {
          // Two chunks, so that the parser reads the reply.
          response.writeHead(403, { 'transfer-encoding': 'chunked' }).write('in ');
          setImmediate(() => response.end('parts'));
        } else response.end('{}');
      }),
    );
    const sampled: string[] = [];
    await run(origin, {
      stages: constantRate(100, 1),
      onSample: ({ status, body }) => sampled.push(`${status} ${body}`),
    });
    expect(sampled.sort()).toEqual(['403 in parts', '503 whole']);
  });

  test('nothing listens -> refused, for every request', async () => {
    const server = createServer();
    const origin = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    const { requests, errors } = metricsOf(
      await run(origin, { stages: constantRate(20, 1), connections: 5 }),
    );
    expect([requests, errors]).toEqual([20, { refused: 20 }]);
  });

  test('a service that stops and restarts -> every due request is in the metrics', async () => {
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
    const { requests, errors, statuses } = metricsOf(
      await run(origin, { stages: constantRate(100, 2), connections: 10 }),
    );
    server.closeAllConnections();
    server.close();
    const { refused = 0, reset = 0, ...others } = errors;
    expect(others).toEqual({});
    expect(refused).toBeGreaterThan(0);
    expect([requests, refused + reset + (statuses['200'] ?? 0)]).toEqual([200, 200]);
  });

  test('an unexpected status -> an error with that status', async () => {
    const origin = await listen(
      createServer((request, response) => {
        response.statusCode = request.url === '/bad' ? 400 : 500;
        response.end('{}');
      }),
    );
    const { errors, statuses } = metricsOf(
      await run(origin, {
        requestAt: (number) =>
          number % 2 === 0
            ? { endpoint: 'swap', target: '/bad', expect: 'rejection' }
            : { endpoint: 'swap', target: '/', expect: 'success' },
      }),
    );
    expect(statuses).toEqual({ 400: 200, 500: 200 });
    expect(errors).toEqual({ status: 200 });
  });
});
