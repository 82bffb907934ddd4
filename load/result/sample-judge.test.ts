import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
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
