import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createRedactor } from '../../conformance/client/redaction.ts';
import { createSampleJudge } from './sample-judge.ts';

function judgedBody(body: Buffer, ...rawHeaders: readonly string[]): string {
  let seen = 'nothing';
  const judge = createSampleJudge((reply) => {
    seen = reply.body.toString();
    return [];
  }, createRedactor());
  judge.take({
    endpoint: 'swap',
    target: '/?',
    status: 200,
    dueMs: 0,
    latencyMs: 1,
    rawHeaders,
    body,
  });
  return seen;
}

const text = '{"amount":"1"}';
const bytes = Buffer.from(text);

test.each<[string, Buffer, readonly string[]]>([
  ['none', bytes, ['content-type', 'application/json']],
  ['identity', bytes, ['Content-Encoding', 'identity']],
  ['gzip', gzipSync(bytes), ['Date', 'x', 'Content-Encoding', 'gzip']],
  ['deflate', deflateSync(bytes), ['content-encoding', 'deflate']],
  ['br', brotliCompressSync(bytes), ['content-encoding', 'br']],
  ['two codings', gzipSync(brotliCompressSync(bytes)), ['content-encoding', 'br, gzip']],
])('a content coding that was not requested, %s -> judged decompressed', (_, body, headers) => {
  expect(judgedBody(body, ...headers)).toBe(text);
});

test.each<[string, string]>([
  ['a body that is not in its coding', 'gzip'],
  ['an unknown coding', 'zip'],
])('%s -> judged as received', (_, coding) => {
  expect(judgedBody(bytes, 'content-encoding', coding)).toBe(text);
});

test('a body beyond the maximum decompressed size -> judged as received', () => {
  const bomb = gzipSync(Buffer.alloc(2 ** 24 + 1));
  expect(judgedBody(bomb, 'content-encoding', 'gzip')).toBe(bomb.toString());
});

describe('replies with an unexpected status', () => {
  const reply = (status: number, endpoint = 'swap') => ({
    ...{ endpoint, target: '/?apiKey=', status, dueMs: 0, latencyMs: 1, rawHeaders: [] },
    body: Buffer.from('no, my-secret-key'),
  });
  const judgeOf = (isOfAll: boolean) => {
    const judge = createSampleJudge(() => [], createRedactor('my-secret-key'), isOfAll);
    for (const each of [reply(503), reply(503), reply(400, 'invalid'), reply(403)])
      judge.take(each);
    return judge.result();
  };

  test('-> a sample of each, without the key', () => {
    const { errors, wrong } = judgeOf(false);
    expect(wrong).toBe(0);
    expect(errors).toEqual(
      [503, 403].map((status) => ({
        ...{ status, target: '/?apiKey=$SWAPCHECK_API_KEY' },
        excerpt: 'no, $SWAPCHECK_API_KEY',
      })),
    );
  });

  test('every reply is judged -> they are wrong', () => {
    const { judged, wrong, findings } = judgeOf(true);
    expect([judged, wrong]).toEqual([4, 3]);
    expect(findings).toMatchObject([
      { rule: 'load/expected-status', expected: 'status 200', actual: 'status 503', count: 3 },
    ]);
  });
});
