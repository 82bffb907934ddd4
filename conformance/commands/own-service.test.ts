import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';
import { startOwnService } from './own-service.ts';

const { signal } = new AbortController();
const node = JSON.stringify(process.execPath);

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test('a command whose service is ready later -> waits for it, keeps its output, stops its processes, passes no key', async () => {
  const { at, read, write } = useFolder(onTestFinished);
  const port = await freePort();
  const script = write(
    'service.mjs',
    `import { createServer } from 'node:http';
console.log('starting', process.env.SWAPCHECK_API_KEY);
setTimeout(() => createServer((_, reply) => reply.end('ok')).listen(${port}, '127.0.0.1'), 300);`,
  );
  const url = new URL(`http://127.0.0.1:${port}`);
  const options = { path: '/health', seconds: 60, log: at('logs/service.log') };
  process.env['SWAPCHECK_API_KEY'] = 'hush';
  onTestFinished(() => void delete process.env['SWAPCHECK_API_KEY']);
  // The shell has a child: both are stopped.
  const start = `${node} ${JSON.stringify(script)} && true`;
  const service = await startOwnService(url, { start, ...options }, signal);
  expect(service.failure).toBe(undefined);
  expect(await (await fetch(url)).text()).toBe('ok');
  await service.stop();
  await expect(fetch(url)).rejects.toThrow();
  expect(read('logs/service.log')).toBe('starting undefined\n');
});

test('a command that exits, or a service that is never ready -> an error with the reason and the last output', async () => {
  const { at } = useFolder(onTestFinished);
  const url = new URL(`http://127.0.0.1:${await freePort()}`);
  const options = { path: '/', seconds: 60, log: at('service.log') };
  const ended = await startOwnService(
    url,
    { start: 'echo no database; exit 7', ...options },
    signal,
  );
  expect(ended.failure).toContain(
    'start: \'echo no database; exit 7\' ended with 7 before the service was ready; its last output: "no database"',
  );
  await ended.stop();
  const start = `${node} -e "setTimeout(()=>{},60000)"`;
  const late = await startOwnService(url, { start, ...options, seconds: 0.5 }, signal);
  expect(late.failure).toContain('did not respond within 0.5 s');
  await late.stop();
});
