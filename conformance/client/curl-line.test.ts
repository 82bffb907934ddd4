import { describe, expect, test } from 'vitest';
import { curlLine, powerShellLine } from './curl-line.ts';
import type { Reach } from './reach.ts';

const HEADERS = "-H 'accept: application/json' -H 'accept-encoding: gzip'";

describe('curlLine', () => {
  test('a base URL with a trailing slash -> one slash', () => {
    expect(curlLine('http://h/', '/a')).toBe(
      `curl -sSi --compressed --globoff --path-as-is ${HEADERS} 'http://h/a'`,
    );
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
    `curl -sSi --compressed --globoff --path-as-is --insecure ${HEADERS} -H "X-Token: $SWAPCHECK_HEADER_X_TOKEN" -H 'Accept-Language: it'\\''s' 'https://h/a'`,
  );
  expect(powerShellLine('https://h', '/a', reach)).toContain(
    '-H "X-Token: $env:SWAPCHECK_HEADER_X_TOKEN"',
  );
});

test('an Accept-Encoding from the user -> replaces ours', () => {
  const headers = [['Accept-Encoding', 'identity']] as const;
  expect(curlLine('http://h', '/a', { headers })).toBe(
    "curl -sSi --compressed --globoff --path-as-is -H 'accept: application/json' -H 'Accept-Encoding: identity' 'http://h/a'",
  );
});

describe('powerShellLine', () => {
  test.each([
    ['/a', `curl.exe -sSi --compressed --globoff --path-as-is ${HEADERS} 'http://h/a'`],
    [
      '/a?x=1&apiKey=$SWAPCHECK_API_KEY',
      `curl.exe -sSi --compressed --globoff --path-as-is ${HEADERS} -G --data-urlencode "apiKey=$env:SWAPCHECK_API_KEY" 'http://h/a?x=1'`,
    ],
    [
      '/a?apiKey=$SWAPCHECK_API_KEY&x=$(id)`n',
      `curl.exe -sSi --compressed --globoff --path-as-is ${HEADERS} ('http://h/a?apiKey=' + "$env:SWAPCHECK_API_KEY" + '&x=$(id)\`n')`,
    ],
    ["/it's’", `curl.exe -sSi --compressed --globoff --path-as-is ${HEADERS} 'http://h/it''s’’'`],
  ])('%s -> one argument, in which PowerShell expands only the key', (target, line) => {
    expect(powerShellLine('http://h/', target)).toBe(line);
  });
});
