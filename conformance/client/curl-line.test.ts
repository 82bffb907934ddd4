import { describe, expect, test } from 'vitest';
import { curlLine, powerShellLine } from './curl-line.ts';
import type { Reach } from './reach.ts';

describe('curlLine', () => {
  test('a base URL with a trailing slash -> one slash', () => {
    expect(curlLine('http://h/', '/a')).toBe("curl -sSi --globoff --path-as-is 'http://h/a'");
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

test('headers, and any certificate accepted -> options, a secret value as a variable', () => {
  expect(curlLine('https://h', '/a', reach)).toBe(
    `curl -sSi --globoff --path-as-is --insecure -H "X-Token: $SWAPCHECK_HEADER_X_TOKEN" -H 'Accept-Language: it'\\''s' 'https://h/a'`,
  );
  expect(powerShellLine('https://h', '/a', reach)).toContain(
    '-H "X-Token: $env:SWAPCHECK_HEADER_X_TOKEN"',
  );
});

describe('powerShellLine', () => {
  test.each([
    ['/a', "curl.exe -sSi --globoff --path-as-is 'http://h/a'"],
    [
      '/a?x=1&apiKey=$SWAPCHECK_API_KEY',
      `curl.exe -sSi --globoff --path-as-is -G --data-urlencode "apiKey=$env:SWAPCHECK_API_KEY" 'http://h/a?x=1'`,
    ],
    [
      '/a?apiKey=$SWAPCHECK_API_KEY&x=$(id)`n',
      `curl.exe -sSi --globoff --path-as-is ('http://h/a?apiKey=' + "$env:SWAPCHECK_API_KEY" + '&x=$(id)\`n')`,
    ],
    ["/it's’", "curl.exe -sSi --globoff --path-as-is 'http://h/it''s’’'"],
  ])('%s -> one argument, in which nothing but the key is expanded', (target, line) => {
    expect(powerShellLine('http://h/', target)).toBe(line);
  });
});
