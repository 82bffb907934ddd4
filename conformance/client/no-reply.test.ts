import { once } from 'node:events';
import { createServer as createH2Server, createSecureServer } from 'node:http2';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { serveRaw } from '../../fixtures/testing/tiny-server.testing.ts';
import { CA, SERVER } from './certificates.testing.ts';
import { createHttpTransport } from './http-transport.ts';
import { noReplyFrom } from './no-reply.ts';

const url = new URL('http://a.example:1');
const context = { timedOutAfterMs: undefined, aborted: false, url };
const failing = (code: string, message: string) => Object.assign(new Error(message), { code });

test.each([
  [
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'self-signed certificate',
    'self-signed certificate (pass --ca FILE or set NODE_EXTRA_CA_CERTS)',
  ],
  ['ENOTFOUND', 'getaddrinfo ENOTFOUND a.example', 'its name cannot be resolved (ENOTFOUND)'],
  [
    'EPROTO',
    'write EPROTO 800C:error:0A00010B:SSL routines:ssl3_get_record:no shared cipher:../ssl.c:350:\n',
    'the TLS handshake failed (no shared cipher)',
  ],
  [
    'ERR_SSL_ALERT_CERTIFICATE_REQUIRED',
    '800C:error:0A00045C:SSL routines:ssl3_read_bytes:TLS alert certificate required:../s3.c:1605:SSL alert number 116\n',
    'TLS alert certificate required (if it requires a client certificate, pass --client-cert and --client-key)',
  ],
])('%s -> no connection, with the reason', (code, message, why) => {
  expect(noReplyFrom(failing(code, message), context)).toEqual({
    kind: 'no-reply',
    cause: 'network',
    message: `no connection to a.example:1: ${why}`,
  });
});

test('several addresses that fail -> the reason for the first failure', () => {
  const error = new AggregateError([failing('ECONNREFUSED', 'one'), failing('ENOENT', 'two')]);
  expect(noReplyFrom(error, context)).toMatchObject({ cause: 'refused' });
});

const SERVERS_OF_OTHER_PROTOCOLS = {
  http: () => serveRaw((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
  https: () => listen(createTlsServer(SERVER)),
  'HTTP/2 without TLS': () => listen(createH2Server()),
  'HTTP/2 with TLS': () => listen(createSecureServer({ ...SERVER, allowHTTP1: false })),
  nginx: () =>
    serveRaw((socket) =>
      socket.end(
        'HTTP/1.1 400 Bad Request\r\n\r\n<center>The plain HTTP request was sent to HTTPS port</center>',
      ),
    ),
  Go: () =>
    serveRaw((socket) =>
      socket.end(
        'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n',
      ),
    ),
  'TLS alert': () => serveRaw((socket) => socket.end(Buffer.from('15030300020246', 'hex'))),
};

async function listen(server: Server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: async () => void server.close() };
}

test.each([
  ['http', 'https', 'HOST does not speak TLS: pass http://HOST/root'],
  ['https', 'http', 'HOST requires TLS: pass https://HOST/root'],
  ['nginx', 'http', 'HOST requires TLS: pass https://HOST/root'],
  ['Go', 'http', 'HOST requires TLS: pass https://HOST/root'],
  ['TLS alert', 'http', 'HOST requires TLS: pass https://HOST/root'],
  [
    'HTTP/2 without TLS',
    'http',
    'HOST speaks only HTTP/2, which swapcheck does not: enable HTTP/1.1 in the service',
  ],
  [
    'HTTP/2 with TLS',
    'https',
    'HOST speaks only HTTP/2, which swapcheck does not: enable HTTP/1.1 in the service',
  ],
] as const)('the server %s, requested over %s -> %s', async (kind, protocol, message) => {
  const server = await SERVERS_OF_OTHER_PROTOCOLS[kind]();
  onTestFinished(server.close);
  const { host } = new URL(server.url);
  const transport = createHttpTransport(new URL(`${protocol}://${host}/root`), { ca: CA });
  onTestFinished(transport.close);
  const { signal } = new AbortController();
  expect(await transport.send({ method: 'GET', target: '/', signal })).toEqual({
    kind: 'no-reply',
    cause: 'network',
    message: message.replaceAll('HOST', host),
  });
});
