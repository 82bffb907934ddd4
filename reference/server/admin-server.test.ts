import { afterEach, expect, test } from 'vitest';
import { startAdminServer } from './admin-server.ts';
import type { Listening } from './http-server.ts';

const running: Listening[] = [];
afterEach(() => Promise.all(running.splice(0).map(({ drain }) => drain(0))));

async function ask(path: string, readMetrics: () => Promise<string>) {
  const admin = await startAdminServer({ port: 0, host: '127.0.0.1' }, readMetrics);
  running.push(admin);
  const reply = await fetch(`${admin.url}${path}`, { headers: { connection: 'close' } });
  return [reply.status, await reply.text()];
}

const READY = '# TYPE\nswapcheck_reference_ready 1\n';
const LOST = 'swapcheck_reference_market_lost{chain="1"} 1\n';

test.each([
  ['/healthz', '', 200, 'alive\n'],
  ['/readyz', READY, 200, 'ready\n'],
  ['/readyz', READY.replace(' 1\n', ' 0\n'), 503, 'starting or draining\n'],
  // What a supervisor without workers reads.
  ['/readyz', '', 503, 'starting or draining\n'],
  ['/readyz', `${READY}${LOST}`, 503, 'market lost: 1\n'],
  ['/metrics', READY, 200, READY],
  ['/api/v1.0/chains', READY, 404, 'not found\n'],
])('%s of %j -> %i', async (path, metrics, status, body) => {
  expect(await ask(path, async () => metrics)).toEqual([status, body]);
});

test('figures that cannot be had -> 503 with the reason, and alive', async () => {
  const broken = () => Promise.reject(new Error('Operation timed out.'));
  expect(await ask('/readyz', broken)).toEqual([503, 'no figures: Operation timed out.\n']);
  expect(await ask('/metrics', broken)).toEqual([503, 'no figures: Operation timed out.\n']);
  expect(await ask('/healthz', broken)).toEqual([200, 'alive\n']);
});
