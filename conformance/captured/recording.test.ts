import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';
import { createClient } from '../client/client.ts';
import type { Exchange } from '../client/exchange.ts';
import { inProcess, type Service } from '../client/in-process.testing.ts';
import { createRedactor } from '../client/redaction.ts';
import { KEY_PLACEHOLDER, parseTarget } from '../client/request.ts';
import { CATALOG } from '../rules/catalog.ts';
import { tinyAnswer, tinyPlan } from '../runner/tiny-service.testing.ts';
import { judgeCaptured } from './judge-captured.ts';
import { readCapture } from './read-capture.ts';
import { openRecording, type RecordingOptions } from './recording.ts';

const KEY = 'a-secret/key of m1ne';

function sendWithKey(service: Service, apiKey: string, paths: readonly string[]) {
  const { send } = createClient({ transport: inProcess(service), apiKey });
  const { signal } = new AbortController();
  return Promise.all(paths.map((path) => send(parseTarget(path), signal)));
}

function openTemporaryRecording(
  name: string,
  apiKey: string,
  options: Partial<RecordingOptions> = {},
) {
  const { at, read } = useFolder(onTestFinished);
  const recording = openRecording(at(name), {
    ...{ baseUrl: 'http://a', redactor: createRedactor(apiKey) },
    onLost: (error) => expect.fail(error.message),
    ...options,
  });
  const exchanges = () => [...readCapture({ name, chunks: [Buffer.from(read(name))] })];
  return { ...recording, at, read: () => read(name), exchanges };
}

describe('openRecording', () => {
  const outcomes = async (exchanges: readonly Exchange[]) => {
    const report = await judgeCaptured(exchanges, { target: 'a', rules: CATALOG });
    return report.rules.map(({ id, outcome, checks }) => [id, outcome, checks]);
  };

  test('exchanges -> the same replies and verdicts; the file is valid after each exchange and lacks the key', async () => {
    const sent = await sendWithKey(
      (url) => {
        const amount = url.searchParams.get('sellAmount');
        if (amount === '0') return { status: 400, body: Buffer.from([0xff, 0x7b]) };
        if (amount !== '3') return tinyAnswer(url);
        return { body: { ...tinyPlan('3'), aggregator: KEY, routes: [] } };
      },
      KEY,
      [
        '/api/v1.0/chains',
        '/api/v1.0/tokens?chainId=7',
        '/api/v1.0/chainInfo?chainId=7',
        '/api/v1.0/swap?sellAmount=1000',
        '/api/v1.0/swap?sellAmount=0',
        '/api/v1.0/swap?sellAmount=3',
      ],
    );
    const recording = openTemporaryRecording('run.ndjson', KEY, { baseUrl: 'http://a/v' });
    for (const [count, exchange] of sent.entries()) {
      recording.add(exchange);
      expect(recording.exchanges()).toHaveLength(count + 1);
    }
    const [other] = await sendWithKey(() => ({}), KEY, ['/api/v1.0/other']);
    recording.add(other as Exchange);
    recording.close();
    expect(recording.read()).not.toMatch(/secret/);
    const read = recording.exchanges();
    expect(read.map(({ target, outcome }) => [target, outcome])).toEqual(
      sent.map(({ target, outcome }) => [target, outcome]),
    );
    expect(read[0]?.baseUrl).toBe('http://a/v');
    const judged = await outcomes(read);
    expect(judged).toEqual(await outcomes(sent.map((each) => ({ ...each, origin: 'captured' }))));
    expect(judged.filter(([, outcome]) => outcome === 'fail').length).toBeGreaterThan(2);
  });

  test('a key that may appear by chance -> removed from texts and names, and the body is still JSON', async () => {
    const body = { demo: 1, error: 'demo', message: "key 'demo' is wrong" };
    const sent = await sendWithKey(() => ({ body }), 'demo', ['/api/v1.0/chains']);
    const recording = openTemporaryRecording('a.ndjson', 'demo');
    for (const exchange of sent) recording.add(exchange);
    recording.close();
    const line = JSON.parse(recording.read());
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
    const sent = await sendWithKey(() => ({ body }), key, ['/api/v1.0/chains']);
    const recording = openTemporaryRecording('a.ndjson', key);
    for (const exchange of sent) recording.add(exchange);
    recording.close();
    for (const text of [JSON.parse(recording.read()).body, JSON.stringify(sent)]) {
      expect(text).toContain(KEY_PLACEHOLDER);
      expect(text).not.toMatch(/m1ne|2024/);
    }
  });

  test('a reply that contained a key by chance -> omitted and counted; the others are judged', async () => {
    const sent = await sendWithKey(
      (url) => ({
        ...tinyAnswer(url),
        headers: url.pathname.endsWith('/tokens') ? { 'x-by': 'tiny service' } : {},
      }),
      'tiny',
      ['/api/v1.0/chains', '/api/v1.0/tokens?chainId=7', '/api/v1.0/chains'],
    );
    const recording = openTemporaryRecording('a.ndjson', 'tiny');
    for (const exchange of sent) recording.add(exchange);
    recording.close();
    const report = await judgeCaptured(recording.exchanges(), {
      target: 'a',
      rules: CATALOG,
    });
    expect(report).toMatchObject({ replies: 2, withoutBody: 1 });
  });

  test('an exchange after the recording was closed -> nothing is written, not even to another file with the same descriptor', async () => {
    const [exchange] = await sendWithKey(tinyAnswer, KEY, ['/api/v1.0/chains']);
    const recording = openTemporaryRecording('a.ndjson', KEY);
    recording.add(exchange as Exchange);
    recording.close();
    const closed = recording.read();
    const other = openSync(recording.at('other'), 'w+');
    onTestFinished(() => closeSync(other));
    recording.add(exchange as Exchange);
    expect(recording.read()).toBe(closed);
  });

  test.each(['x.constructor', 'x', 'run.har'])(
    'a file %s -> rejected with the extension',
    (name) => {
      expect(() => openTemporaryRecording(name, KEY)).toThrow(
        'expected a file name that ends in .ndjson',
      );
    },
  );

  test('a pipe, with or without a reader -> rejected at once', () => {
    const { at } = useFolder(onTestFinished);
    const path = at('pipe.ndjson');
    execFileSync('mkfifo', [path]);
    const options = { baseUrl: 'http://a', redactor: createRedactor(KEY), onLost: () => {} };
    const message = `cannot record to '${path}': expected a file, got a pipe`;
    expect(() => openRecording(path, options)).toThrow(message);
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    onTestFinished(() => closeSync(reader));
    expect(() => openRecording(path, options)).toThrow(message);
  });
});
