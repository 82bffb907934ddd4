import { createServer as createHttpServer } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import type { SampledReply } from './client-order.ts';
import { runClosed } from './closed-model.ts';
import { closeServers, listen, metricsOf, SHORT_RUN, type TestRun } from './engine.testing.ts';

afterAll(closeServers);

function run(
  origin: URL,
  { durationS = 0.5, ...options }: Partial<TestRun & { readonly durationS: number }>,
) {
  const all = { ...SHORT_RUN, origin: origin.href, connections: 4, ...options };
  return runClosed({ ...all, workload: { model: 'closed', durationS } }, all);
}

function serve(answer: (socket: Socket, number: number) => void): Promise<URL> {
  let requests = 0;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', () => {
      requests += 1;
      answer(socket, requests);
    });
  });
  return listen(server);
}

const OK = 'HTTP/1.1 200 OK\r\nX-Kind: test\r\nContent-Length: 2\r\n\r\n{}';

describe.concurrent('runClosed', () => {
  test('replies -> each request of the share sent once, latencies, samples with headers and body', async () => {
    const targets: string[] = [];
    const origin = await listen(
      createHttpServer((request, response) => {
        targets.push(request.url ?? '');
        setTimeout(() => response.setHeader('x-kind', 'test').end('{"a":1}'), 20);
      }),
    );
    const samples: SampledReply[] = [];
    const result = await run(new URL('/base', origin), {
      share: { index: 1, count: 2 },
      requestAt: (number) => ({ endpoint: 'swap', target: `/${number}`, expect: 'success' }),
      samplesPerSecond: 1000,
      onSample: (sample) => samples.push(sample),
    });
    const { requests, errors, statuses, hdr } = metricsOf(result);
    expect(requests).toBeGreaterThan(0);
    expect([errors, statuses]).toEqual([{}, { 200: requests }]);
    expect(hdr.minNonZeroValue).toBeGreaterThan(18_000);
    const sent = Array.from({ length: result.sent }, (_, at) => `/base/${1 + 2 * at}`);
    expect(new Set(targets)).toEqual(new Set(sent.slice(0, targets.length)));
    expect(samples).toHaveLength(requests);
    expect(samples[0]?.body.toString()).toBe('{"a":1}');
    expect(samples[0]?.rawHeaders).toContain('x-kind');
    expect(result.clientLag.maxMs).toBe(0);
  });

  test('an unexpected status -> an error with that status', async () => {
    const origin = await listen(
      createHttpServer((_request, response) => {
        response.statusCode = 500;
        response.end('{}');
      }),
    );
    const { requests, errors } = metricsOf(await run(origin, {}));
    expect(errors).toEqual({ status: requests });
  });

  test('a connection that the service resets or closes without a reply -> each lost request is a reset', async () => {
    const origin = await serve((socket, number) => {
      if (number % 3 === 0) socket.resetAndDestroy();
      else if (number % 3 === 1) socket.end();
      else socket.write(OK);
    });
    const { requests, errors, statuses } = metricsOf(await run(origin, {}));
    expect(Object.keys(errors)).toEqual(['reset']);
    expect((errors.reset ?? 0) + (statuses['200'] ?? 0)).toBe(requests);
    expect(errors.reset).toBeGreaterThan(0);
  });

  test('a truncated reply -> one loss, and the next replies are read', async () => {
    const controller = new AbortController();
    const origin = await serve((socket, number) => {
      const half = 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf';
      if (number === 6) socket.write(half, () => socket.resetAndDestroy());
      else socket.write(OK);
      if (number === 60) controller.abort();
    });
    const { signal } = controller;
    const { errors, statuses } = metricsOf(await run(origin, { durationS: 120, signal }));
    expect(errors).toEqual({ reset: 1 });
    expect(statuses['200']).toBeGreaterThan(50);
  });

  test('no reply -> timeouts, except for requests in flight at the end', async () => {
    const origin = await serve(() => {});
    const result = await run(origin, { timeoutMs: 1000, durationS: 2.5 });
    const { requests, errors, hdr } = metricsOf(result);
    expect(errors).toEqual({ timeout: requests });
    expect(requests).toBeGreaterThanOrEqual(4);
    expect(result.sent - requests).toBeLessThanOrEqual(4);
    expect(hdr.minNonZeroValue).toBeGreaterThan(990_000);
  });

  test('nothing listens -> refused', async () => {
    const server = createHttpServer();
    const origin = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    expect(Object.keys(metricsOf(await run(origin, {})).errors)).toEqual(['refused']);
  });

  test('an abort -> the metrics so far', async () => {
    const controller = new AbortController();
    const origin = await serve((socket) => {
      socket.write(OK);
      controller.abort();
    });
    const result = await run(origin, { durationS: 60, signal: controller.signal });
    expect(result.aborted).toBe(true);
    expect(result.durationMs).toBeLessThan(60_000);
  });
});
