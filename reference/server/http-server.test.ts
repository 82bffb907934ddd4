import { Agent, get as httpGet, type Server } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  CannotListenError,
  createHttpServer,
  listen,
  type RunningServer,
  urlOf,
} from './http-server.ts';
import { requestUntilRefused } from './keep-requesting.testing.ts';

const HOST = '127.0.0.1';
const open: Server[] = [];

async function start(...args: Parameters<typeof createHttpServer>): Promise<RunningServer> {
  const server = createHttpServer(...args);
  open.push(server);
  return listen(server, 0, HOST);
}

afterEach(() => {
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

function exchange(url: string, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), HOST);
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('end', () => resolve(text));
    socket.on('error', reject);
    socket.write(bytes);
  });
}

describe('createHttpServer', () => {
  test.each([
    ['bytes that are not HTTP', 'HELO there\r\n\r\n'],
    ['a target of 100 kB', `GET /?x=${'9'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['a target of 3 MB', `GET /?x=${'9'.repeat(3_000_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['a NUL in the target', 'GET /?x=\0 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['headers that never end', 'GET / HTTP/1.1\r\nHost: x\r\nX-Slow: '],
    ['no bytes', ''],
  ])('%s -> 400 with an Error body', async (_condition, bytes) => {
    const { url } = await start((_request, response) => response.end('served'), {
      requestTimeoutMs: 200,
    });
    const text = await exchange(url, bytes);
    const [head, body] = text.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 400 /);
    expect(head).toMatch(/Content-Type: application\/json/);
    expect(head).toMatch(/Cache-Control: no-store/);
    expect(head).toMatch(/X-Content-Type-Options: nosniff/);
    expect(head).toMatch(/Connection: close/);
    expect(JSON.parse(body ?? '')).toMatchObject({ error: 'MALFORMED_REQUEST' });
  });

  test('a target of 60 kB -> served', async () => {
    const { url } = await start((request, response) => response.end(`${request.url?.length}`));
    const reply = await fetch(`${url}/?x=${'9'.repeat(60_000)}`);
    expect(await reply.text()).toBe('60004');
  });

  test('a connection beyond the maximum -> closed immediately, until another connection ends', async () => {
    const { url } = await start((_request, response) => response.end('served'), {
      maxConnections: 1,
    });
    const first = connect(Number(new URL(url).port), HOST);
    first.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await new Promise((resolve) => first.once('data', resolve));
    await expect(fetch(url)).rejects.toThrow();
    first.end();
    await expect.poll(() => fetch(url).then((reply) => reply.text(), String)).toBe('served');
  });

  test('a client that resets its connection during a request -> the server keeps running', async () => {
    const { url } = await start((_request, response) => response.end('served'));
    const socket = connect(Number(new URL(url).port), HOST);
    await new Promise((resolve) => socket.write('GET / HTTP/1.1\r\nHo', resolve));
    socket.resetAndDestroy();
    expect(await (await fetch(url)).text()).toBe('served');
  });
});

describe('listen', () => {
  test('a port in use -> a one-sentence error', async () => {
    const { url } = await start(() => {});
    const port = Number(new URL(url).port);
    const second = listen(
      createHttpServer(() => {}),
      port,
      HOST,
    );
    await expect(second).rejects.toThrow(CannotListenError);
    await expect(second).rejects.toThrow(`Cannot listen on ${HOST}:${port}: the port is in use.`);
  });

  test('drain -> requests in progress are finished, idle connections closed', async () => {
    let respond: () => void = () => {};
    const { url, drain } = await start((_request, response) => {
      respond = () => response.end('finished');
    });
    const agent = new Agent({ keepAlive: true });
    const reply = new Promise<string>((resolve, reject) => {
      httpGet(url, { agent }, (response) => {
        response.setEncoding('utf8').on('data', resolve);
      }).on('error', reject);
    });
    await expect.poll(() => String(respond)).toContain('finished');
    const drained = drain(0);
    await new Promise((resolve) => setImmediate(resolve));
    await expect(fetch(url)).rejects.toThrow();
    respond();
    expect(await reply).toBe('finished');
    await drained;
    agent.destroy();
  });
});

describe('drain', () => {
  test('16 clients that keep sending over persistent connections -> none loses a request, and each is disconnected in the end', async () => {
    const { url, drain } = await start((_request, response) => response.end('served'));
    const clients = Array.from({ length: 16 }, () => requestUntilRefused(url));
    await Promise.all(clients.map(({ responded }) => responded));
    await drain(1_000);
    await expect(Promise.all(clients.map(({ closed }) => closed))).resolves.toHaveLength(16);
  });

  test('a client that never reads its reply -> disconnected after 10 s', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] });
    const { url, drain } = await start((_request, response) =>
      response.end(Buffer.alloc(50_000_000)),
    );
    const client = connect(Number(new URL(url).port), HOST).pause();
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await new Promise((resolve) => client.once('readable', resolve));
    const drained = drain(1_000);
    await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(11_100);
    vi.useRealTimers();
    await drained;
    client.destroy();
  });
});

describe('urlOf', () => {
  test('an IPv6 address -> in brackets', () => {
    expect(urlOf('::1', 80)).toBe('http://[::1]:80');
    expect(urlOf('localhost', 80)).toBe('http://localhost:80');
  });
});
