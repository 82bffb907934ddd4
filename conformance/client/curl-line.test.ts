import { describe, expect, test } from 'vitest';
import { curlLine, powerShellLine } from './curl-line.ts';
import type { Reach } from './reach.ts';

const HEADERS = "-H 'accept: application/json'";

describe('curlLine', () => {
  test('a base URL with a trailing slash -> one slash', () => {
    expect(curlLine('http://h/', '/a')).toBe(`curl -i ${HEADERS} 'http://h/a'`);
  });

  test('a compressed reply, brackets, dot segments -> the options that they need, and no others', () => {
    const compressed = { isCompressed: true };
    expect(curlLine('http://h', '/a', compressed)).toBe(
      "curl -i --compressed -H 'accept: application/json' -H 'accept-encoding: gzip' 'http://h/a'",
    );
    expect(curlLine('http://h', '/a?b[]=1')).toContain('curl -i --globoff -H');
    expect(curlLine('http://h', '/a/../b')).toContain('curl -i --path-as-is -H');
    expect(curlLine('http://h', '/a/%2E/b')).toContain('curl -i --path-as-is -H');
    expect(curlLine('http://h', '/api/v1.0/a?b=/..c')).not.toContain('--path-as-is');
  });

  test('the key itself is never in the line', () => {
    const line = curlLine('http://h', '/a?apiKey=$SWAPCHECK_API_KEY');
    expect(line).toContain('"apiKey=$SWAPCHECK_API_KEY"');
  });
});

const reach: Reach = {
  headers: [
    ['X-Token', 'secret-0815'],
    ['Accept-Language', "it's"],
  ],
  insecure: true,
};

test('headers and --insecure -> options of curl, with a variable for a secret value', () => {
  expect(curlLine('https://h', '/a', reach)).toBe(
    `curl -i --insecure ${HEADERS} -H "X-Token: $SWAPCHECK_HEADER_X_TOKEN" -H 'Accept-Language: it'\\''s' 'https://h/a'`,
  );
  expect(powerShellLine('https://h', '/a', reach)).toContain(
    '-H "X-Token: $env:SWAPCHECK_HEADER_X_TOKEN"',
  );
});

test('an Accept-Encoding from the user -> replaces ours', () => {
  const headers = [['Accept-Encoding', 'identity']] as const;
  expect(curlLine('http://h', '/a', { headers })).toBe(
    "curl -i -H 'accept: application/json' -H 'Accept-Encoding: identity' 'http://h/a'",
  );
});

describe('powerShellLine', () => {
  test.each([
    ['/a', `curl.exe -i ${HEADERS} 'http://h/a'`],
    [
      '/a?x=1&apiKey=$SWAPCHECK_API_KEY',
      `curl.exe -i ${HEADERS} -G --data-urlencode "apiKey=$env:SWAPCHECK_API_KEY" 'http://h/a?x=1'`,
    ],
    [
      '/a?apiKey=$SWAPCHECK_API_KEY&x=$(id)`n',
      `curl.exe -i ${HEADERS} ('http://h/a?apiKey=' + "$env:SWAPCHECK_API_KEY" + '&x=$(id)\`n')`,
    ],
    ["/it's’", `curl.exe -i ${HEADERS} 'http://h/it''s’’'`],
  ])('%s -> one argument, in which PowerShell expands only the key', (target, line) => {
    expect(powerShellLine('http://h/', target)).toBe(line);
  });
});
