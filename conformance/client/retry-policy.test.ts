import { describe, expect, test } from 'vitest';
import { createRetryPolicy } from './retry-policy.ts';

describe('createRetryPolicy', () => {
  test('of nothing known -> once more at once, then after two pauses', () => {
    const { waitMs } = createRetryPolicy();
    expect([1, 2, 3, 4].map(waitMs)).toEqual([0, 300, 1_200, undefined]);
  });

  test('requests that fail however often they are asked -> once more at once', () => {
    const policy = createRetryPolicy();
    for (let times = 0; times < 4; times++) policy.settled(4, 'failed');
    expect([1, 2].map(policy.waitMs)).toEqual([0, undefined]);
  });

  test('waiting helps -> waited longer, and a limit shows', () => {
    const policy = createRetryPolicy();
    policy.settled(1, 'answered');
    policy.settled(3, 'answered');
    expect(policy.showsLimit()).toBe(false);
    policy.settled(3, 'answered');
    expect(policy.showsLimit()).toBe(true);
    expect([4, 9, 10].map(policy.waitMs)).toEqual([1_200, 1_200, undefined]);
  });

  test('asking again at once helps -> no limit shows', () => {
    const policy = createRetryPolicy();
    for (let times = 0; times < 90; times++) policy.settled(1, 'answered');
    for (let times = 0; times < 10; times++) policy.settled(2, 'answered');
    expect(policy.showsLimit()).toBe(false);
  });

  test('no failure -> nothing learned', () => {
    const policy = createRetryPolicy();
    for (let times = 0; times < 9; times++) policy.settled(0, 'answered');
    expect(policy.waitMs(4)).toBeUndefined();
  });
});
