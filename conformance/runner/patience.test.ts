import { describe, expect, test } from 'vitest';
import { createPatience } from './patience.ts';

describe('createPatience', () => {
  test('of nothing known -> once more at once, then after two pauses', () => {
    const { waitMs } = createPatience();
    expect([1, 2, 3, 4].map(waitMs)).toEqual([0, 300, 1_200, undefined]);
  });

  test('requests that fail however often they are asked -> once more at once', () => {
    const patience = createPatience();
    for (let times = 0; times < 4; times++) patience.settled(4, 'failed');
    expect([1, 2].map(patience.waitMs)).toEqual([0, undefined]);
  });

  test('waiting helps -> waited longer, and a limit shows', () => {
    const patience = createPatience();
    patience.settled(1, 'answered');
    patience.settled(3, 'answered');
    expect(patience.showsLimit()).toBe(false);
    patience.settled(3, 'answered');
    expect(patience.showsLimit()).toBe(true);
    expect([4, 9, 10].map(patience.waitMs)).toEqual([1_200, 1_200, undefined]);
  });

  test('asking again at once helps -> no limit shows', () => {
    const patience = createPatience();
    for (let times = 0; times < 90; times++) patience.settled(1, 'answered');
    for (let times = 0; times < 10; times++) patience.settled(2, 'answered');
    expect(patience.showsLimit()).toBe(false);
  });

  test('no failure -> nothing learned', () => {
    const patience = createPatience();
    for (let times = 0; times < 9; times++) patience.settled(0, 'answered');
    expect(patience.waitMs(4)).toBeUndefined();
  });
});
