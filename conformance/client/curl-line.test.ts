import { describe, expect, test } from 'vitest';
import { curlLine } from './curl-line.ts';

describe('curlLine', () => {
  test('a base URL with a slash at its end -> one slash', () => {
    expect(curlLine('http://h/', '/a')).toBe("curl -sSi --globoff --path-as-is 'http://h/a'");
  });

  test('the key itself never stands in the line', () => {
    const line = curlLine('http://h', '/a?apiKey=$SWAPCHECK_API_KEY');
    expect(line).toContain('"apiKey=$SWAPCHECK_API_KEY"');
  });
});
