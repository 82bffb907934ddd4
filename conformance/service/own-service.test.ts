import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { serve } from '../../fixtures/testing/tiny-server.testing.ts';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';
import { UsageError } from '../output/usage-error.ts';
import type { ServiceStart } from './config-file.ts';
import { withOwnService } from './own-service.ts';

const { signal } = new AbortController();
const node = JSON.stringify(process.execPath);

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function withService(
  start: Partial<ServiceStart> & Pick<ServiceStart, 'command'>,
  work: (url: URL, signal: AbortSignal) => Promise<number>,
  port?: number,
) {
  const { at, read } = useFolder(onTestFinished);
  const url = new URL(`http://127.0.0.1:${port ?? (await freePort())}`);
  const options = { path: '/health', seconds: 60, log: at('logs/service.log'), ...start };
  let printed = '';
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    printed += text;
    return true;
  });
  try {
    const run = (either: AbortSignal) => work(url, either);
    const code = await withOwnService(url, { start: options, reach: {} }, signal, run);
    return { code, printed, url, log: read('logs/service.log') };
  } finally {
    spy.mockRestore();
  }
}

function nodeScriptCommand(text: string): string {
  const { write } = useFolder(onTestFinished);
  // Both the shell and its child must be stopped.
  return `${node} ${JSON.stringify(write('service.mjs', text))} && true`;
}

const SERVICE = `import { createServer } from 'node:http';
console.log('starting', process.env.SWAPCHECK_API_KEY);
const server = createServer((request, reply) => {
  reply.end('ok');
  if (request.url === '/crash') { console.log('out of memory'); process.exit(7); }
});
setTimeout(() => server.listen(process.env.PORT, '127.0.0.1'), 300);`;

test('a command whose service is ready later -> waits for it, keeps its output, stops its processes, passes the port as PORT and no key', async () => {
  process.env['SWAPCHECK_API_KEY'] = 'hush';
  onTestFinished(() => void delete process.env['SWAPCHECK_API_KEY']);
  const { code, url, log } = await withService(
    { command: nodeScriptCommand(SERVICE) },
    async (url) => {
      expect(await (await fetch(url)).text()).toBe('ok');
      return 1;
    },
  );
  expect(code).toBe(1);
  await expect(fetch(url)).rejects.toThrow();
  expect(log).toBe('starting undefined\n');
});

test('a log that is a pipe -> a usage error that names it, and nothing is started', async () => {
  const { at } = useFolder(onTestFinished);
  const log = at('service.log');
  execFileSync('mkfifo', [log]);
  const started = at('started');
  const running = withService({ command: `touch ${started}`, log }, async () => 0);
  await expect(running).rejects.toThrow(
    new UsageError(`the output of the service cannot be written to ${log}, which is a pipe`),
  );
  expect(existsSync(started)).toBe(false);
});

test('a command that exits, or a service that is never ready -> exit code 3, the reason and the last output', async () => {
  const unreached = () => Promise.reject(new Error('the work must not start'));
  const ended = await withService({ command: 'echo no database; exit 7' }, unreached);
  expect(ended).toMatchObject({
    code: 3,
    printed: expect.stringContaining(
      `start: 'echo no database; exit 7' ended with 7 before the run did; its last output: "no database"`,
    ),
  });
  const command = `${node} -e "setTimeout(()=>{},60000)"`;
  expect(await withService({ command, seconds: 0.5 }, unreached)).toMatchObject({
    code: 3,
    printed: expect.stringContaining('did not respond within 0.5 s'),
  });
});

test('a service that ends during the work -> its signal aborts with the reason; exit code 3, and the last output', async () => {
  const ended = await withService({ command: nodeScriptCommand(SERVICE) }, async (url, either) => {
    const aborted = new Promise((resolve) => either.addEventListener('abort', resolve));
    await fetch(new URL('/crash', url)).catch(() => undefined);
    await aborted;
    expect(either.reason).toContain('ended with 7 before the run did');
    return 0;
  });
  expect(ended.code).toBe(3);
  expect(ended.printed).toMatch(
    /ended with 7 before the run did; its last output: .*out of memory/,
  );
});

test('many listeners on the signal of the work, as for requests in flight -> no warning', async () => {
  const warned: Error[] = [];
  const listen = (warning: Error) => void warned.push(warning);
  process.on('warning', listen);
  onTestFinished(() => void process.off('warning', listen));
  await withService({ command: nodeScriptCommand(SERVICE) }, async (_, either) => {
    for (let count = 0; count < 40; count++) either.addEventListener('abort', () => undefined);
    await new Promise((resolve) => setImmediate(resolve));
    return 0;
  });
  expect(warned.map(({ name }) => name)).not.toContain('MaxListenersExceededWarning');
});

test('a service that responds before the start -> a usage error with the port; a gateway does not count', async () => {
  let status = 404;
  const { url, close } = await serve((_, response) => response.writeHead(status).end());
  onTestFinished(close);
  const port = Number(new URL(url).port);
  const work = async () => 0;
  await expect(withService({ command: 'sleep 60' }, work, port)).rejects.toThrow(
    `start: something already responds at port ${port} of 127.0.0.1: stop it`,
  );
  status = 502;
  const late = await withService({ command: 'sleep 60', seconds: 0.5 }, work, port);
  expect(late.printed).toContain('did not respond within 0.5 s: status 502');
});
