import type { Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { serve, serveRaw, type TinyServer } from '../../fixtures/testing/tiny-server.testing.ts';
import { createClient } from './client.ts';
import { createHttpTransport, type HttpOptions } from './http-transport.ts';

const open: { close: () => Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

function createSender(server: TinyServer, options: HttpOptions = {}) {
  const transport = createHttpTransport(new URL(server.url), { timeoutMs: 20_000, ...options });
  const client = createClient({ transport, apiKey: 'key-to-hide' });
  open.push(server, client);
  const target = { path: '/api/v1.0/chains', query: [] };
  return async () => (await client.send(target, new AbortController().signal)).outcome;
}

describe('createHttpTransport', () => {
  test('a closed port -> connection refused', async () => {
    const server = await serve(() => undefined);
    await server.close();
    const outcome = await createSender({ url: server.url, close: async () => undefined })();
    expect(outcome).toMatchObject({ kind: 'no-reply', cause: 'refused' });
  });

  test.each([
    ['gzip', ''],
    ['deflate, identity', deflateSync('[1]')],
    ['gzip, br', brotliCompressSync(gzipSync('[1]'))],
  ])('content-encoding %s -> decoded', async (encoding, body) => {
    const server = await serve((_, response) => {
      response.setHeader('content-encoding', encoding).end(body);
    });
    expect(await createSender(server)()).toMatchObject({ text: body === '' ? '' : '[1]' });
  });

  const reply = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]';

  test('connections that close when they are reused -> requests are repeated on new connections', async () => {
    const server = await serveRaw((socket) => {
      socket.write(reply);
      socket.on('data', () => socket.resetAndDestroy());
    });
    const send = createSender(server);
    for (let count = 0; count < 6; count++) expect(await send()).toMatchObject({ kind: 'reply' });
  });

  test('a server that closes the connection after each reply, unannounced -> every request gets a reply', async () => {
    const server = await serveRaw((socket) => socket.end(reply));
    const send = createSender(server);
    const outcomes = await Promise.all(Array.from({ length: 60 }, send));
    expect(outcomes.filter(({ kind }) => kind !== 'reply')).toEqual([]);
  });

  test('a server that hangs up on every fifth request -> the hang-ups are reported', async () => {
    let requests = 0;
    const server = await serve((_, response) => {
      if (++requests % 5 === 0) response.destroy();
      else response.end('[]');
    });
    const send = createSender(server);
    let unanswered = 0;
    for (let times = 0; times < 100; times++) if ((await send()).kind === 'no-reply') unanswered++;
    // The client attributes at most three hang-ups to closed idle connections.
    expect(unanswered).toBeGreaterThan(10);
  });

  test('HTTP/1.0 without a length -> a reply', async () => {
    const server = await serveRaw((socket) => {
      socket.end('HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n[1]');
    });
    const outcome = await createSender(server)();
    expect(outcome).toMatchObject({ kind: 'reply', status: 200, document: { value: [1] } });
  });

  test('a redirect -> a reply with its status, and no request to the other host', async () => {
    let requests = 0;
    const other = await serve((_, response) => {
      requests++;
      response.end('[]');
    });
    const server = await serve((_, response) => {
      response.writeHead(302, { location: `${other.url}/api/v1.0/chains` }).end();
    });
    open.push(other);
    expect(await createSender(server)()).toMatchObject({ kind: 'reply', status: 302 });
    expect(requests).toBe(0);
  });

  test('Set-Cookie -> never sent back', async () => {
    const cookies: (string | undefined)[] = [];
    const server = await serve((request, response) => {
      cookies.push(request.headers.cookie);
      response.setHeader('set-cookie', ['session=1; Path=/', 'more=2']).end('[]');
    });
    const send = createSender(server);
    for (let times = 0; times < 3; times++) await send();
    expect(cookies).toEqual([undefined, undefined, undefined]);
  });

  test('gzip -> read', async () => {
    const server = await serve((_, response) => {
      response.setHeader('content-encoding', 'gzip').end(gzipSync('{"a":1}'));
    });
    expect(await createSender(server)()).toMatchObject({ text: '{"a":1}' });
  });

  test.each([
    ['sends a body after HEAD', 'HEAD', '/'],
    ['sends more than its reply to a long request', 'GET', `/?x=${'1'.repeat(9_000)}`],
  ])('a server that %s -> the next request gets its reply', async (_, method, target) => {
    let odd: Socket | undefined;
    const server = await serve((request, response) => {
      response.setHeaders(new Headers({ connection: 'keep-alive', 'content-length': '2' }));
      // By now, the client has read the reply to the odd request, and its next request is in
      // flight.
      if (odd?.writable) odd.write('[]');
      odd =
        request.method === 'HEAD' || `${request.url}`.length > 9_000 ? request.socket : undefined;
      setTimeout(() => response.end('[]'), odd ? 0 : 50);
    });
    const transport = createHttpTransport(new URL(server.url), { connections: 1 });
    open.push(server, transport);
    const signal = new AbortController().signal;
    for (const request of [{ method, target }, ...Array(2).fill({ method: 'GET', target: '/' })]) {
      expect(await transport.send({ ...request, signal })).toMatchObject({ status: 200 });
    }
  });

  test('a content-length that is too small -> the truncated body is not JSON, or not HTTP', async () => {
    const server = await serveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n[1,2,3]');
    });
    const outcome = await createSender(server)();
    if (outcome.kind === 'reply') expect(outcome.document.kind).toBe('not-json');
    else expect(outcome).toMatchObject({ cause: 'protocol' });
  });

  test('an abort -> aborted at once', async () => {
    const server = await serveRaw(() => undefined);
    const transport = createHttpTransport(new URL(server.url));
    open.push(server, transport);
    const reply = transport.send({ method: 'GET', target: '/', signal: AbortSignal.timeout(30) });
    expect(await reply).toMatchObject({ kind: 'no-reply', cause: 'aborted' });
  });
});
