import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forAll } from '../../fixtures/testing/for-all.testing.ts';
import { createSampler } from './sampler.ts';

function take(perSecond: number, seconds: readonly number[]): number[][] {
  const sampler = createSampler(perSecond);
  return seconds.map((requests) => {
    const taken = Array.from({ length: requests }, (_, n) => n).filter(() => sampler.wantsNext());
    sampler.endSecond();
    return taken;
  });
}

describe('createSampler', () => {
  test('any number of requests in each second -> at most the limit, and all replies at a lower rate', () => {
    forAll(
      [
        fc.integer({ min: 0, max: 20 }),
        fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 10 }),
      ],
      { seed: 1 },
      (perSecond, seconds) => {
        for (const taken of take(perSecond, seconds)) {
          expect(taken.length).toBeLessThanOrEqual(perSecond);
        }
        const few = seconds.map((requests) => Math.min(requests, perSecond));
        expect(take(perSecond, few).map(({ length }) => length)).toEqual(few);
      },
    );
  });

  test('a constant rate -> evenly spread samples after the first second', () => {
    expect(take(3, [9, 9])).toEqual([
      [0, 1, 2],
      [0, 3, 6],
    ]);
  });
});
