import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { serve } from '../../fixtures/testing/tiny-server.testing.ts';
import { waitForService } from './wait-for-service.ts';

const { signal } = new AbortController();
const path = '/ready';

test('a service that starts later, behind a running gateway -> waits for it', async () => {
  const statuses = [502, 503, 401];
  const { url, close } = await serve((_, response) =>
    response.writeHead(statuses.shift() ?? 500).end(),
  );
  onTestFinished(close);
  expect(await waitForService(new URL(url), { path, seconds: 60 }, signal)).toBe(undefined);
  expect(statuses).toEqual([]);
});

test('no service in time -> an error with the reason; a signal ends the wait', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const service = new URL(`http://127.0.0.1:${port}`);
  expect(await waitForService(service, { path, seconds: 0.3 }, signal)).toBe(
    `${service.origin} did not respond within 0.3 s: 127.0.0.1:${port} refused the connection`,
  );
  const ended = await waitForService(service, { path, seconds: 600 }, AbortSignal.timeout(100));
  expect(ended).toBe('the run was ended');
});
