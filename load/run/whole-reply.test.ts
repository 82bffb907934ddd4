import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forAll } from '../../scripts/for-all.testing.ts';
import { readWholeReply } from './whole-reply.ts';

const { HTTPParser } = createRequire(createRequire(import.meta.url).resolve('autocannon'))(
  'http-parser-js',
);

/** What the parser that autocannon uses says of a chunk: the status of the one reply in it. */
function parse(chunk: Buffer): number | undefined {
  const parser = new HTTPParser(HTTPParser.RESPONSE);
  let status: number | undefined;
  let complete = 0;
  parser[HTTPParser.kOnHeadersComplete] = (info: { statusCode: number }) => {
    status = info.statusCode;
  };
  parser[HTTPParser.kOnBody] = () => {};
  parser[HTTPParser.kOnHeaders] = () => {};
  parser[HTTPParser.kOnMessageComplete] = () => {
    complete += 1;
  };
  const outcome = parser.execute(chunk);
  return outcome instanceof Error || complete !== 1 ? undefined : status;
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

  test('whatever it reads -> the parser reads the same', () => {
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
      if (read !== undefined) expect(read).toBe(parse(chunk));
    });
  });
});
