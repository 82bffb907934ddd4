import { execFile } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { delimiter, dirname } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findProgram } from '../../fixtures/testing/external-programs.testing.ts';
import { serve, type TinyServer } from '../../fixtures/testing/tiny-server.testing.ts';
import { curlLine } from './curl-line.ts';

const run = promisify(execFile);
const KEY = `k+y/=&'"$HOME\`id\`%`;

let server: TinyServer;
let seen: string[] = [];
let reply: (request: IncomingMessage, response: ServerResponse) => void;

beforeAll(async () => {
  server = await serve((request, response) => {
    seen.push(request.url ?? '');
    reply(request, response);
  });
});

beforeEach(() => {
  reply = (_, response) => response.end('{}');
});

afterAll(() => server.close());

async function sent(target: string, key = KEY): Promise<string | undefined> {
  seen = [];
  await repeat(target, key);
  expect(seen).toHaveLength(1);
  return seen[0];
}

function repeat(target: string, key: string, isCompressed = false) {
  const line = curlLine(server.url, target, { isCompressed });
  const PATH = [dirname(findProgram('curl')), process.env['PATH']].join(delimiter);
  return run('sh', ['-c', line], { env: { PATH, SWAPCHECK_API_KEY: key } });
}

describe('curlLine', () => {
  test('a key at the end of the query -> curl percent-encodes it, and the order is unchanged', async () => {
    const target = '/api/v1.0/swap?chainId=1&sellToken=0xeE&apiKey=$SWAPCHECK_API_KEY';
    const arrived = (await sent(target)) ?? '';
    expect(arrived.startsWith('/api/v1.0/swap?chainId=1&sellToken=0xeE&apiKey=')).toBe(true);
    expect(new URLSearchParams(arrived.split('?')[1]).getAll('apiKey')).toEqual([KEY]);
  });

  test('the key as the only parameter -> one question mark', async () => {
    expect(await sent('/api/v1.0/chains?apiKey=$SWAPCHECK_API_KEY', 'k')).toBe(
      '/api/v1.0/chains?apiKey=k',
    );
  });

  test('a key in the middle, or twice -> expanded in place', async () => {
    const target = '/x?apiKey=$SWAPCHECK_API_KEY&apiKey=$SWAPCHECK_API_KEY&chainId=1';
    expect(await sent(target, 'abc')).toBe('/x?apiKey=abc&apiKey=abc&chainId=1');
  });

  test('a gzip reply -> decoded; a truncated reply is not shown as complete', async () => {
    const body = gzipSync('[1,2,3]');
    let sentBytes = body.length;
    reply = ({ headers }, response) => {
      expect(headers).toMatchObject({ accept: 'application/json', 'accept-encoding': 'gzip' });
      response.setHeader('content-encoding', 'gzip').end(body.subarray(0, sentBytes));
    };
    expect((await repeat('/api/v1.0/chains', 'k', true)).stdout).toMatch(/\[1,2,3\]$/);
    sentBytes -= 10;
    // Some versions of curl exit with an error; others print the decoded part.
    const { stdout } = await repeat('/api/v1.0/chains', 'k', true).catch((error) => error);
    expect(stdout).toContain('200 OK');
    expect(stdout).not.toContain('[1,2,3]');
  });

  test('no key -> the target unchanged', async () => {
    expect(await sent('/api/v1.0/chains')).toBe('/api/v1.0/chains');
    expect(await sent('/api/v1.0/../x/./y?a=b')).toBe('/api/v1.0/../x/./y?a=b');
  });

  test('any characters in a target -> sent byte for byte, and the shell runs none of them', async () => {
    const characters = 'abc019-._~!$&\'()*+,;=:@/?[]{}|\\^`"<>%00%0A%20'.split('');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...characters), { maxLength: 40 }).map((all) => all.join('')),
        async (query) => {
          const target = `/p?q=${query}`;
          expect(await sent(target)).toBe(target);
        },
      ),
      { numRuns: 40, seed: 4 },
    );
  });
});
