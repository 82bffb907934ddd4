import fc from 'fast-check';
import { HTTPParser } from 'http-parser-js';
import { describe, expect, test } from 'vitest';
import { forAll } from '../../fixtures/testing/for-all.testing.ts';
import { readContent, readWholeReply } from './whole-reply.ts';

function parse(chunk: Buffer) {
  const parser = new HTTPParser('RESPONSE');
  let status: number | undefined;
  let rawHeaders: string[] = [];
  const bodies: Buffer[] = [];
  let complete = 0;
  parser[HTTPParser.kOnHeadersComplete] = (info) => {
    status = info.statusCode;
    rawHeaders = info.headers;
  };
  parser[HTTPParser.kOnBody] = (body, start, length) => {
    bodies.push(body.subarray(start, start + length));
  };
  parser[HTTPParser.kOnHeaders] = () => {};
  parser[HTTPParser.kOnMessageComplete] = () => {
    complete += 1;
  };
  const outcome = parser.execute(chunk);
  return outcome instanceof Error || complete !== 1
    ? undefined
    : { status, content: { rawHeaders, body: Buffer.concat(bodies) } };
}

describe('readWholeReply', () => {
  const reply = (head: string, body: string): Buffer => Buffer.from(`${head}\r\n\r\n${body}`);

  test.each([
    ['HTTP/1.1 200 OK\r\nContent-Length: 2', '{}', 200],
    ['HTTP/1.1 400 Bad Request\r\nconnection: keep-alive\r\ncontent-length:2', '{}', 400],
    ['HTTP/1.1 500 \r\nKeep-Alive: timeout=5\r\nContent-Length: 0', '', 500],
    ['HTTP/1.1 200 OK\r\nContent-Length: 3', '{}', undefined],
    ['HTTP/1.1 200 OK\r\nContent-Length: 1', '{}', undefined],
    ['HTTP/1.1 200 OK', '{}', undefined],
    ['HTTP/1.0 200 OK\r\nContent-Length: 2', '{}', undefined],
    ['HTTP/1.1 100 Continue\r\nContent-Length: 2', '{}', undefined],
    ['HTTP/1.1 204 No Content\r\nContent-Length: 0', '', undefined],
    ['HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2', '{}', undefined],
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2', '{}', undefined],
    ['HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2', '{}', undefined],
    ['what?', '{}', undefined],
  ])('%j with body %j -> %s', (head, body, status) => {
    expect(readWholeReply(reply(head, body))).toBe(status);
  });

  test('any reply that is read without the parser -> the same result as from the parser', () => {
    const header = fc.constantFrom(
      'Content-Length: 4',
      'content-length: 04',
      'Content-Length: 5',
      'Transfer-Encoding: identity',
      'Connection: keep-alive',
      'Connection: Close',
      'X-Any: content-length: 9',
      'Upgrade: h2c',
      'Date: now',
      'X-Blank \t:\t of  many ',
      'X-Empty:',
      'X-Name: caf\u00e9',
      'without a colon',
      ' folded',
    );
    const part = fc.tuple(
      fc.constantFrom('200', '302', '404', '503', '099', '700'),
      fc.array(header, { maxLength: 4 }),
      fc.constantFrom('', 'abcd', 'abcde'),
    );
    forAll([part, fc.boolean()], { seed: 1, numRuns: 500 }, ([status, headers, body], twice) => {
      const one = reply([`HTTP/1.1 ${status} X`, ...headers].join('\r\n'), body);
      const chunk = twice ? Buffer.concat([one, one]) : one;
      const read = readWholeReply(chunk);
      if (read === undefined) return;
      const parsed = parse(chunk);
      expect(read).toBe(parsed?.status);
      expect([undefined, parsed?.content]).toContainEqual(readContent(chunk));
    });
  });

  test('a plain reply -> headers as received, and a body independent of the chunk', () => {
    const chunk = reply('HTTP/1.1 200 OK\r\nX-A:  b c \r\nContent-Length: 2', '{}');
    const content = readContent(chunk);
    chunk.fill(0);
    expect(content).toEqual({
      rawHeaders: ['X-A', 'b c', 'Content-Length', '2'],
      body: Buffer.from('{}'),
    });
  });
});
