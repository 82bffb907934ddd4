import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { createRequire } from 'node:module';
import { connect, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  serve,
  serveRaw,
  type TinyServer,
} from '../../scripts/tests/helpers/tiny-server.testing.ts';
import { useFolder } from '../../scripts/tests/helpers/use-folder.testing.ts';
import type { Exchange } from '../client/exchange.ts';
import { createRedactor } from '../client/redaction.ts';
import { KEY_PLACEHOLDER } from '../client/request.ts';
import type { ErrorBody } from '../contract/resources.ts';
import { tinyPlan, tinyService } from '../runner/tiny-service.testing.ts';
import { judgeCaptured } from './judge-captured.ts';
import { readCapture } from './read-capture.ts';
import { openRecording } from './recording.ts';
import { type ProxyOptions, startRecordingProxy } from './recording-proxy.ts';

const KEY = 'a-secret/key of m1ne';
const asked = `/api/v1.0/swap?chainId=7&sellAmount=1000&apiKey=${encodeURIComponent(KEY)}`;

/** A proxy to a server; `finish` stops it, and returns what passed. */
async function proxyTo(server: Promise<TinyServer>, options: Partial<ProxyOptions> = {}) {
  const { url, close } = await server;
  onTestFinished(close);
  const proxy = await startRecordingProxy({ target: new URL(url), port: 0, ...options });
  const seen: Exchange[] = [];
  const read = (async () => {
    for await (const exchange of proxy.exchanges) seen.push(exchange);
  })();
  const finish = async () => {
    await proxy.stop();
    await read;
    return seen;
  };
  const { hostname, port } = new URL(proxy.url);
  return {
    ...proxy,
    finish,
    get: (path: string, init?: RequestInit) => fetch(proxy.url + path, init),
    /** The same with headers that `fetch` does not send. */
    ask: async (path: string, headers: OutgoingHttpHeaders): Promise<IncomingMessage> => {
      const [reply] = await once(request({ hostname, port, path, headers }).end(), 'response');
      return reply;
    },
  };
}

describe('startRecordingProxy', () => {
  test('what is sent and answered -> as it came on both sides; the exchange is without the key', async () => {
    const heard: (string | string[] | undefined)[] = [];
    const proxy = await proxyTo(
      serve((request, response) => {
        heard.push(request.url, request.headers['x-own'], request.headers['accept-encoding']);
        const body = JSON.stringify({ error: 'NO', message: `not ${KEY}` });
        response.writeHead(400, 'Not So', { 'X-Odd': ['1', '2'], 'Content-Encoding': 'gzip' });
        response.end(gzipSync(body));
      }),
    );
    const reply = await proxy.ask(asked, { 'x-own': 'a', 'accept-encoding': 'zstd, gzip' });
    expect(heard).toEqual([asked, 'a', 'gzip']);
    expect([reply.statusCode, reply.statusMessage, reply.headers['x-odd']]).toEqual([
      400,
      'Not So',
      '1, 2',
    ]);
    expect(gunzipSync(await buffer(reply)).toString()).toContain(KEY);
    expect(await proxy.finish()).toMatchObject([
      {
        origin: 'captured',
        endpoint: 'swap',
        target: '/api/v1.0/swap?chainId=7&sellAmount=1000&apiKey=$SWAPCHECK_API_KEY',
        outcome: { status: 400, document: { value: { message: 'not $SWAPCHECK_API_KEY' } } },
      },
    ]);
  });

  test('a key of its own -> added where there is none, and only for this machine', async () => {
    const heard: (string | undefined)[] = [];
    const proxy = await proxyTo(
      serve((request, response) => {
        heard.push(request.url);
        response.end('[]');
      }),
      { apiKey: KEY },
    );
    await proxy.get('/api/v1.0/chains');
    await proxy.get('/api/v1.0/chains?apiKey=other-key-0');
    const foreign = await proxy.ask('/api/v1.0/chains', { host: 'evil.example' });
    expect(foreign.statusCode).toBe(403);
    foreign.resume();
    expect(heard).toEqual([
      `/api/v1.0/chains?apiKey=${encodeURIComponent(KEY)}`,
      '/api/v1.0/chains?apiKey=other-key-0',
    ]);
    expect(JSON.stringify(await proxy.finish())).not.toMatch(/secret|other-key/);
  });

  test('other paths and methods -> passed on, bodies too; not judged', async () => {
    const proxy = await proxyTo(serve((request, response) => void request.pipe(response)));
    const reply = await proxy.get('/upload', { method: 'POST', body: 'x'.repeat(100_000) });
    expect((await reply.text()).length).toBe(100_000);
    expect(await proxy.finish()).toEqual([]);
    expect(proxy.passage).toMatchObject({ requests: 1, unanswered: 0 });
  });

  test('a target that is down -> 502 and a sentence, which is no reply of the service', async () => {
    const down = await serve(() => undefined);
    await down.close();
    const proxy = await proxyTo(Promise.resolve({ url: down.url, close: async () => {} }));
    const reply = await proxy.get(asked);
    expect(reply.status).toBe(502);
    expect(String(((await reply.json()) as ErrorBody).message)).toMatch(
      /^swapcheck record got no reply of the target: .* refused the connection\.$/,
    );
    expect(await proxy.finish()).toEqual([]);
    expect(proxy.passage).toMatchObject({ requests: 1, unanswered: 1 });
  });

  test.each([
    ['silent', () => undefined, 502],
    [
      'cut in the middle of a body',
      (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n['),
      'cut',
    ],
  ])('a target that is %s -> the client is told, or sees the cut', async (_, talk, outcome) => {
    const proxy = await proxyTo(serveRaw(talk), { timeoutMs: 200 });
    const status = await proxy.get(asked).then(
      (reply) =>
        reply.text().then(
          () => reply.status,
          () => 'cut',
        ),
      () => 'cut',
    );
    expect(status).toBe(outcome);
    expect(await proxy.finish()).toEqual([]);
    expect(proxy.passage.unanswered).toBe(1);
  });

  test('a client that hangs up -> its request is given up, and counted', async () => {
    const ended: Promise<unknown>[] = [];
    const proxy = await proxyTo(
      serve((request, response) => {
        ended.push(once(response, 'close'));
        response.write('[');
        request.resume();
      }),
    );
    const { hostname, port } = new URL(proxy.url);
    const socket = connect(Number(port), hostname);
    socket.write(`GET ${asked} HTTP/1.1\r\nHost: a\r\n\r\n`);
    await once(socket, 'data');
    socket.destroy();
    await Promise.all(ended);
    await expect.poll(() => proxy.passage.abandoned).toBe(1);
    expect(await proxy.finish()).toEqual([]);
  });

  test('a body beyond what is judged -> passed on whole, and said not to be judged', async () => {
    const body = JSON.stringify(Array.from({ length: 300_000 }, () => 1));
    const proxy = await proxyTo(
      serve((_, response) => void response.end(body)),
      { maxBodyBytes: 200_000 },
    );
    expect((await (await proxy.get('/api/v1.0/chains')).text()).length).toBe(body.length);
    expect(await proxy.finish()).toMatchObject([
      { outcome: { kind: 'no-reply', cause: 'too-large' } },
    ]);
  });

  test('many large bodies at once -> all are passed on, and judged one after the other', async () => {
    const body = JSON.stringify('x'.repeat(1_500_000));
    const proxy = await proxyTo(serve((_, response) => void response.end(body)));
    const lengths = await Promise.all(
      Array.from(
        { length: 6 },
        async () => (await (await proxy.get('/api/v1.0/chains')).text()).length,
      ),
    );
    expect(new Set(lengths)).toEqual(new Set([body.length]));
    const seen = await proxy.finish();
    expect(seen.map(({ outcome }) => outcome.kind)).toEqual(Array(6).fill('reply'));
  });
});

/** @see http://www.softwareishard.com/blog/har-12-spec/ */
function expectHar(document: unknown): void {
  const schemas: Record<string, object> = createRequire(import.meta.url)('har-schema');
  const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true });
  addFormats.default(ajv);
  for (const schema of Object.values(schemas)) ajv.addSchema(schema);
  const validate = ajv.getSchema('har.json#');
  expect(validate?.(document), JSON.stringify(validate?.errors)).toBe(true);
}

describe('openRecording', () => {
  const options = { target: 'a', version: '0' };
  const told = {
    baseUrl: 'http://a',
    version: '1',
    onLost: (error: Error) => expect.fail(error.message),
  };
  const outcomes = async (exchanges: readonly Exchange[]) =>
    (await judgeCaptured(exchanges, options)).rules.map(({ id, outcome, checks }) => [
      id,
      outcome,
      checks,
    ]);

  test.each(['run.har', 'run.ndjson'])(
    '%s -> what passed, judged as it was; whole after each exchange, without the key',
    async (name) => {
      const { at, read } = useFolder(onTestFinished);
      const redactor = createRedactor(KEY);
      const recording = openRecording(at(name), { ...told, baseUrl: 'http://a/v', redactor });
      const proxy = await proxyTo(
        serve((incoming, response) => {
          const url = new URL(incoming.url ?? '', 'http://a');
          if (url.searchParams.get('sellAmount') === '0')
            return response.writeHead(400).end(Buffer.from([0xff, 0x7b]));
          if (url.searchParams.get('sellAmount') === '3')
            return response.end(JSON.stringify({ ...tinyPlan('3'), aggregator: KEY, routes: [] }));
          return tinyService(incoming, response);
        }),
      );
      for (const path of [
        'chains?x',
        'tokens?chainId=7',
        'chainInfo?chainId=7',
        'swap?sellAmount=1000',
        'swap?sellAmount=0',
        'swap?sellAmount=3',
        'other?',
      ]) {
        await (
          await proxy.get(`/api/v1.0/${path}&apiKey=${encodeURIComponent(KEY)}`)
        ).arrayBuffer();
      }
      const seen = await proxy.finish();
      expect(seen).toHaveLength(6);
      for (const [count, exchange] of seen.entries()) {
        recording.add(exchange);
        expect([...readCapture({ name, bytes: Buffer.from(read(name)) })]).toHaveLength(count + 1);
      }
      recording.close();
      expect(read(name)).not.toMatch(/secret/);
      if (name.endsWith('.har')) expectHar(JSON.parse(read(name)));
      const kept = [...readCapture({ name, bytes: Buffer.from(read(name)) })];
      expect(kept.map(({ target, outcome }) => [target, outcome])).toEqual(
        seen.map(({ target, outcome }) => [target, outcome]),
      );
      expect(kept[0]?.baseUrl).toBe('http://a/v');
      const judged = await outcomes(kept);
      expect(judged).toEqual(await outcomes(seen));
      expect(judged.filter(([, outcome]) => outcome === 'fail').length).toBeGreaterThan(2);
    },
  );

  test('a key that may stand anywhere by chance -> taken out of texts and names, the JSON stays one', async () => {
    const { at, read } = useFolder(onTestFinished);
    const redactor = createRedactor('demo');
    const recording = openRecording(at('a.ndjson'), { ...told, redactor });
    const proxy = await proxyTo(
      serve((_, response) => {
        response.end(JSON.stringify({ demo: 1, error: 'demo', message: "key 'demo' is wrong" }));
      }),
    );
    await (await proxy.get('/api/v1.0/chains?apiKey=demo')).text();
    for (const exchange of await proxy.finish()) recording.add(exchange);
    recording.close();
    const line = JSON.parse(read('a.ndjson'));
    expect(JSON.parse(line.body)).toEqual({
      $SWAPCHECK_API_KEY: 1,
      error: '$SWAPCHECK_API_KEY',
      message: "key '$SWAPCHECK_API_KEY' is wrong",
    });
    expect(line.url).toBe('http://a/api/v1.0/chains?apiKey=$SWAPCHECK_API_KEY');
    expect(line.garbled).toBe(true);
  });

  test.each([
    [KEY, `{"${KEY}":1}`],
    [KEY, '{"error":"a-secret\\u002Fkey of m1ne"}'],
    ['кл\u00e9-2024', '{"error":"\\u043A\\u043B\\u00E9-2024"}'],
  ])('the key %j in the reply %s -> in no file', async (key, body) => {
    const { at, read } = useFolder(onTestFinished);
    const recording = openRecording(at('a.ndjson'), { ...told, redactor: createRedactor(key) });
    const proxy = await proxyTo(serve((_, response) => response.end(body)));
    await (await proxy.get(`/api/v1.0/chains?apiKey=${encodeURIComponent(key)}`)).text();
    const passed = await proxy.finish();
    for (const exchange of passed) recording.add(exchange);
    recording.close();
    for (const text of [JSON.parse(read('a.ndjson')).body, JSON.stringify(passed)]) {
      expect(text).toContain(KEY_PLACEHOLDER);
      expect(text).not.toMatch(/m1ne|2024/);
    }
  });

  test.each(['a.har', 'a.ndjson'])(
    '%s: a reply that such a key was taken out of -> left out and counted, the others judged',
    async (name) => {
      const { at, read } = useFolder(onTestFinished);
      const recording = openRecording(at(name), { ...told, redactor: createRedactor('tiny') });
      const proxy = await proxyTo(
        serve((request, response) => {
          if (request.url?.includes('tokens')) response.setHeader('x-by', 'tiny service');
          tinyService(request, response);
        }),
      );
      for (const path of ['chains?', 'tokens?chainId=7&', 'chains?']) {
        await (await proxy.get(`/api/v1.0/${path}apiKey=tiny`)).text();
      }
      const passed = await proxy.finish();
      for (const exchange of passed) recording.add(exchange);
      recording.close();
      for (const exchanges of [
        passed,
        [...readCapture({ name, bytes: Buffer.from(read(name)) })],
      ]) {
        expect(await judgeCaptured(exchanges, options)).toMatchObject({
          replies: 2,
          withoutBody: 1,
        });
      }
    },
  );

  test('an exchange that comes when it is closed -> no file is written to, another with its number neither', async () => {
    const { at, read } = useFolder(onTestFinished);
    const redactor = createRedactor(KEY);
    const recording = openRecording(at('a.har'), { ...told, redactor });
    const proxy = await proxyTo(serve(tinyService));
    await (await proxy.get('/api/v1.0/chains?')).text();
    const [exchange] = await proxy.finish();
    recording.close();
    const closed = read('a.har');
    const other = openSync(at('other'), 'w');
    onTestFinished(() => closeSync(other));
    recording.add(exchange as Exchange);
    expect(read('a.har')).toBe(closed);
    expect(read('other')).toBe('');
  });
});
