import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Command } from 'commander';
import { describe, expect, onTestFinished, test } from 'vitest';
import { serve, serveRaw } from '../../fixtures/testing/tiny-server.testing.ts';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';
import { type ReachFlags, readReach, withReachOptions } from './access-options.ts';
import { CA, CLIENT, SERVER } from './certificates.testing.ts';
import { createClient } from './client.ts';
import { createHttpTransport } from './http-transport.ts';
import { proxyCredentials, type Reach, secretsOf } from './reach.ts';
import { createRedactor } from './redaction.ts';

const target = '/api/v1.0/chains?apiKey=k';

async function send(url: string, reach: Reach = {}) {
  const transport = createHttpTransport(new URL(url), { ...reach, timeoutMs: 20_000 });
  onTestFinished(transport.close);
  return transport.send({ method: 'GET', target, signal: new AbortController().signal });
}

async function listen(server: Server, protocol: string): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('headers', () => {
  test("every request -> a User-Agent with the version; the user's headers replace ours", async () => {
    const seen: unknown[] = [];
    const { url, close } = await serve(({ headers }, response) => {
      seen.push(headers['user-agent'], headers['x-token'], headers.accept);
      response.end('[]');
    });
    onTestFinished(close);
    await send(url);
    const headers = [
      ['User-Agent', 'mine'],
      ['X-Token', 'secret-0815'],
    ] as const;
    await send(url, { headers });
    expect(seen).toEqual([
      expect.stringMatching(/^swapcheck\/\d+\.\d+\.\d+/),
      undefined,
      'application/json',
      'mine',
      'secret-0815',
      'application/json',
    ]);
  });

  test('a header folded over several lines -> read as one value, also in every later reply', async () => {
    const { url, close } = await serveRaw((socket) =>
      socket.end(
        'HTTP/1.1 200 OK\r\nContent-Type: application/json;\r\n  charset=utf-8\r\nContent-Length: 2\r\n\r\n[]',
      ),
    );
    onTestFinished(close);
    const transport = createHttpTransport(new URL(url), { timeoutMs: 20_000 });
    const client = createClient({ transport, apiKey: 'k' });
    onTestFinished(client.close);
    for (let times = 0; times < 2; times++) {
      const { outcome } = await client.send(
        { path: '/api/v1.0/chains', query: [] },
        new AbortController().signal,
      );
      expect(outcome).toMatchObject({
        kind: 'reply',
        headers: { 'content-type': ['application/json;  charset=utf-8'] },
        text: '[]',
      });
    }
  });

  test('secret values, their words and the decoded Basic credentials -> replaced by a variable; ordinary values -> unchanged', () => {
    const { redactText, redactSentence } = createRedactor(
      'my-api-key-1',
      ...secretsOf({
        headers: [
          ['X-Token', 'Bearer t0ken-4711'],
          ['Authorization', `Basic ${Buffer.from('user:passw0rd-77').toString('base64')}`],
          ['Accept', 'application/json'],
          ['X-Env', 'prod'],
        ],
      }),
    );
    expect(redactText('t0ken-4711 my-api-key-1 passw0rd-77 application/json prod')).toBe(
      '$SWAPCHECK_HEADER_X_TOKEN $SWAPCHECK_API_KEY $SWAPCHECK_HEADER_AUTHORIZATION application/json prod',
    );
    expect(redactSentence('expected "t0ken%2D4711"')).toBe('expected "$SWAPCHECK_HEADER_X_TOKEN"');
  });
});

describe('certificates', () => {
  const start = (requestCert: boolean) =>
    listen(
      createTlsServer(
        { ...SERVER, ca: CA, requestCert, rejectUnauthorized: requestCert },
        (_, response) => response.end('[]'),
      ) as unknown as Server,
      'https',
    );

  test('an unknown authority -> no reply, and a message that names --ca; with --ca or --insecure, a reply', async () => {
    const url = await start(false);
    const rejected = await send(url);
    expect(rejected).toMatchObject({ kind: 'no-reply', cause: 'network' });
    expect(rejected.kind === 'no-reply' && rejected.message).toContain('--ca');
    expect(await send(url, { ca: CA })).toMatchObject({ status: 200 });
    expect(await send(url, { insecure: true })).toMatchObject({ status: 200 });
  });

  test('a service that requires a client certificate -> a reply only with one', async () => {
    const url = await start(true);
    expect(await send(url, { ca: CA })).toMatchObject({ kind: 'no-reply' });
    expect(await send(url, { ca: CA, certificate: CLIENT })).toMatchObject({ status: 200 });
  });
});

function dripHeaders(socket: Socket): void {
  const timer = setInterval(() => socket.write('H'), 50);
  socket.on('close', () => clearInterval(timer));
}

describe('proxy', () => {
  /** The proxy replies to plain HTTP itself and opens tunnels. */
  async function startProxy() {
    const seen: string[] = [];
    const server = createServer((request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers['proxy-authorization']}`);
      response.end('["by the proxy"]');
    });
    server.on('connect', (request, socket) => {
      seen.push(`CONNECT ${request.url} ${request.headers['proxy-authorization']}`);
      const [host, port] = `${request.url}`.split(':');
      const onward = connect(Number(port), host, () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        onward.pipe(socket).pipe(onward);
      });
      for (const each of [onward, socket]) each.on('error', () => each.destroy());
    });
    const url = new URL(await listen(server, 'http'));
    url.username = 'me';
    url.password = 'p%40ss';
    return { url, seen };
  }
  const credentials = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;

  test('http -> sent to the proxy with the whole URL', async () => {
    const { url, seen } = await startProxy();
    const reply = await send('http://swap.example.org/root', { proxy: url });
    expect(reply).toMatchObject({ body: Buffer.from('["by the proxy"]') });
    expect(seen).toEqual([`GET http://swap.example.org/root${target} ${credentials}`]);
  });

  test('https -> through a tunnel', async () => {
    const server = createTlsServer(SERVER, (_, response) => response.end('[]'));
    const service = await listen(server as unknown as Server, 'https');
    const { url, seen } = await startProxy();
    expect(await send(service, { proxy: url, ca: CA })).toMatchObject({ status: 200 });
    expect(seen).toEqual([`CONNECT ${new URL(service).host} ${credentials}`]);
  });

  test.each(['http://service.example', 'https://service.example'])(
    'a proxy that returns 407 for %s -> no reply, with the fix',
    async (service) => {
      const server = createServer((_, response) => response.writeHead(407).end());
      server.on('connect', (_, socket) => socket.end('HTTP/1.1 407 Nope\r\n\r\n'));
      const proxy = new URL(await listen(server, 'http'));
      expect(await send(service, { proxy })).toEqual({
        kind: 'no-reply',
        cause: 'network',
        message: `the proxy ${proxy.host} rejected the request with 407: pass its user and password in --proxy`,
      });
    },
  );

  test.each([
    ['never answers', () => undefined],
    ['switches protocols', (socket: Socket) => socket.write('HTTP/1.1 101 Odd\r\n\r\n')],
    ['sends a byte at a time', dripHeaders],
  ])('a proxy that %s -> every request ends, including waiting ones', async (_, respond) => {
    const proxy = await serveRaw(respond);
    onTestFinished(proxy.close);
    const options = { proxy: new URL(proxy.url), timeoutMs: 200, connections: 1 };
    const transport = createHttpTransport(new URL('https://service.example'), options);
    onTestFinished(transport.close);
    const { signal } = new AbortController();
    const request = { method: 'GET', target, signal };
    const replies = await Promise.all([transport.send(request), transport.send(request)]);
    expect(replies.map(({ kind }) => kind)).toEqual(['no-reply', 'no-reply']);
  });

  test('a percent sign alone in the password -> sent and redacted like any other', () => {
    const proxy = new URL('http://u:100%@proxy.example');
    const credentials = `Basic ${Buffer.from('u:100%').toString('base64')}`;
    expect(proxyCredentials(proxy)).toBe(credentials);
    const { redactText } = createRedactor(...secretsOf({ proxy }));
    expect(redactText('100% of u')).toBe('$SWAPCHECK_PROXY_PASSWORD of u');
  });

  test('the password -> redacted in every encoding, even if it is a plain word; a plain user name -> unchanged', () => {
    const proxy = new URL('http://reporter:p%40ssw0rd%21@proxy.example');
    const { redactText, redactSentence } = createRedactor('my-api-key-1', ...secretsOf({ proxy }));
    const credentials = Buffer.from('reporter:p@ssw0rd!').toString('base64');
    for (const secret of ['p@ssw0rd!', 'p%40ssw0rd%21', credentials]) {
      expect(redactText(`reporter ${secret}.`)).toBe('reporter $SWAPCHECK_PROXY_PASSWORD.');
    }
    expect(redactSentence('expected "p@ssw0rd!"')).toBe('expected "$SWAPCHECK_PROXY_PASSWORD"');
    const plain = createRedactor(...secretsOf({ proxy: new URL('http://me:secret@p.example') }));
    expect(plain.redactText('"secret"')).toBe('"$SWAPCHECK_PROXY_PASSWORD"');
    // The password is a plain word that may appear by chance, so judged text remains unchanged.
    expect(plain.redactJudged('"secret"')).toBe('"secret"');
  });

  test('nothing listens -> the message names the proxy, without its password', async () => {
    const proxy = new URL('http://me:secret@127.0.0.1:1');
    expect(await send('http://swap.example.org', { proxy })).toMatchObject({
      message: 'the proxy 127.0.0.1:1 refused the connection',
    });
  });
});

describe('options', () => {
  const parse = (...args: readonly string[]) =>
    readReach(withReachOptions(new Command()).parse(args, { from: 'user' }).opts<ReachFlags>());

  test('all options -> parsed', () => {
    const { write } = useFolder(onTestFinished);
    const files = ['--ca', write('ca.pem', CA), '--client-cert', write('c.pem', CLIENT.cert)];
    expect(
      parse(
        ...['--header', 'X-A:  b: c ', '--header', 'X-D: e', '--proxy', 'http://127.0.0.1:3128'],
        ...[...files, '--client-key', write('k.pem', CLIENT.key), '--insecure'],
      ),
    ).toEqual({
      headers: [
        ['X-A', 'b: c'],
        ['X-D', 'e'],
      ],
      proxy: new URL('http://127.0.0.1:3128'),
      ca: CA,
      certificate: CLIENT,
      insecure: true,
    });
  });

  test.each([
    [['--header', 'secret-0815'], "--header: expected 'Name: value'"],
    [['--header', 'X-A: secret\n0815'], "--header: expected 'Name: value'"],
    [['--header', 'Content-Length: 0'], '--header: Content-Length is set by the connection itself'],
    [['--proxy', 'socks5://me:secret@a'], '--proxy: expected an http or https URL'],
    [['--client-key', 'k.pem'], '--client-key: --client-cert is required too'],
    [['--ca', 'missing.pem'], '--ca: missing.pem cannot be read (ENOENT)'],
    [['--ca', 'package.json'], 'is not PEM'],
  ])('%j -> %s, and no secret', (args, message) => {
    expect(() => parse(...args)).toThrow(message);
    expect(() => parse(...args)).not.toThrow(/secret/);
  });
});
