import { describe, expect, test } from 'vitest';
import { retryAfterMs } from './retry-after.ts';

describe('retryAfterMs', () => {
  test.each([
    ['2', 2000],
    [' 0 ', 0],
    ['Thu, 01 Jan 1970 00:00:05 GMT', 4000],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['soon', undefined],
    ['-1 second', undefined],
    [undefined, undefined],
  ])('%j -> %j', (header, expected) => {
    expect(retryAfterMs(header, 1000)).toBe(expected);
  });
});
