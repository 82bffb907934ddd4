import { describe, expect, test } from 'vitest';
import { createRetryPolicy } from './retry-policy.ts';

describe('createRetryPolicy', () => {
  test('no earlier failures -> repeated at once, then after two pauses', () => {
    const { waitMs } = createRetryPolicy();
    expect([1, 2, 3, 4].map(waitMs)).toEqual([0, 300, 1_200, undefined]);
  });

  test('requests that fail after every retry -> repeated only once, immediately', () => {
    const policy = createRetryPolicy();
    for (let times = 0; times < 4; times++) policy.settled(4, 'failed');
    expect([1, 2].map(policy.waitMs)).toEqual([0, undefined]);
  });

  test('waiting helps -> longer waits, and a rate limit is assumed', () => {
    const policy = createRetryPolicy();
    policy.settled(1, 'served');
    policy.settled(3, 'served');
    expect(policy.showsLimit()).toBe(false);
    policy.settled(3, 'served');
    expect(policy.showsLimit()).toBe(true);
    expect([4, 9, 10].map(policy.waitMs)).toEqual([1_200, 1_200, undefined]);
  });

  test('repeating at once helps -> no rate limit is assumed', () => {
    const policy = createRetryPolicy();
    for (let times = 0; times < 90; times++) policy.settled(1, 'served');
    for (let times = 0; times < 10; times++) policy.settled(2, 'served');
    expect(policy.showsLimit()).toBe(false);
  });

  test('no failure -> nothing is learned', () => {
    const policy = createRetryPolicy();
    for (let times = 0; times < 9; times++) policy.settled(0, 'served');
    expect(policy.waitMs(4)).toBeUndefined();
  });
});
