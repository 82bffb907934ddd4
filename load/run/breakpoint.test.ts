import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LoadResult, ThresholdResult } from '../model/load-result.ts';
import { sampleResult } from '../result/sample-result.testing.ts';
import { searchBreakpoint, searchVerdict } from './breakpoint.ts';

const search = {
  model: 'breakpoint',
  startRate: 100,
  maxRate: 10_000,
  stepS: 1,
  precision: 0.05,
} as const;
const result = sampleResult({ seconds: 4, rate: 20 });

/** Simulates a run, in which the thresholds hold at every rate up to `capacity`. */
function runUpTo(capacity: number, tried: number[] = []) {
  return (rate: number): Promise<LoadResult> => {
    tried.push(rate);
    const held = rate <= capacity;
    return Promise.resolve({ ...result, verdict: held ? 'passed' : 'failed', rateReached: rate });
  };
}

describe('searchBreakpoint', () => {
  test('any capacity in the range -> bracketed, within the precision', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 100, max: 9_999 }), async (capacity) => {
        const { breakpoint } = await searchBreakpoint(search, runUpTo(capacity));
        const { highestHeld = 0, lowestCrossed = 0 } = breakpoint;
        expect(highestHeld).toBeLessThanOrEqual(capacity);
        expect(lowestCrossed).toBeGreaterThan(capacity);
        expect(lowestCrossed - highestHeld).toBeLessThanOrEqual(
          Math.max(1, search.precision * lowestCrossed),
        );
      }),
      { numRuns: 60 },
    );
  });

  test('rates -> doubled until one fails, then bisected; each failing rate tried twice', async () => {
    const tried: number[] = [];
    await searchBreakpoint(search, runUpTo(310, tried));
    expect(tried.slice(0, 7)).toEqual([100, 200, 400, 400, 300, 350, 350]);
  });

  test('the maximum rate holds -> no crossed rate', async () => {
    const { breakpoint: found } = await searchBreakpoint(search, runUpTo(50_000));
    expect(found).toMatchObject({ highestHeld: 10_000 });
    expect(found.lowestCrossed).toBeUndefined();
  });

  test('the first rate fails -> no rate held', async () => {
    const { breakpoint: found } = await searchBreakpoint(search, runUpTo(10));
    expect(found.highestHeld).toBeUndefined();
    expect(found).toMatchObject({ lowestCrossed: 100 });
  });

  test('one transient failure -> the rate is tried again and holds', async () => {
    let hiccups = 1;
    const { breakpoint: found } = await searchBreakpoint(search, async (rate) => {
      const steady = await runUpTo(1000)(rate);
      return rate === 400 && hiccups-- > 0 ? { ...steady, verdict: 'failed' } : steady;
    });
    expect(found.highestHeld).toBeGreaterThan(950);
  });

  test('a run that ends early -> the search ends, and the rate of that run does not count', async () => {
    let runs = 0;
    const { breakpoint, attempts } = await searchBreakpoint(search, async (rate) => {
      runs += 1;
      return runs < 3 ? runUpTo(1000)(rate) : { ...result, verdict: 'incomplete' };
    });
    expect(attempts.map(({ rate }) => rate)).toEqual([100, 200, 400]);
    expect(breakpoint.steps.map(({ rate }) => rate)).toEqual([100, 200]);
    expect(breakpoint).toMatchObject({ highestHeld: 200 });
    expect(breakpoint.lowestCrossed).toBeUndefined();
  });

  test('invalid runs -> repeated, without counting as failures of the rate', async () => {
    const outcomes: LoadResult['verdict'][] = ['invalid', 'failed', 'invalid', 'passed'];
    const tried: number[] = [];
    const { breakpoint: found } = await searchBreakpoint(
      { ...search, maxRate: 100 },
      async (rate) => ({
        ...(await runUpTo(1000, tried)(rate)),
        verdict: outcomes[tried.length - 1] ?? 'failed',
      }),
    );
    expect(tried).toEqual([100, 100, 100, 100]);
    expect(found).toMatchObject({ highestHeld: 100 });
    expect(found.steps.map(({ outcome }) => outcome)).toEqual([
      'invalid',
      'crossed',
      'invalid',
      'held',
    ]);
  });

  test('a client that falls behind -> an invalid step, with its reason', async () => {
    const { breakpoint } = await searchBreakpoint(search, async (rate) => ({
      ...(await runUpTo(50)(rate)),
      verdict: 'invalid',
      reason: 'the client fell behind',
    }));
    expect(breakpoint.steps[0]).toMatchObject({
      outcome: 'invalid',
      reasons: ['the client fell behind'],
    });
  });
});

describe('searchVerdict', () => {
  const wrong: ThresholdResult = {
    metric: 'wrong',
    endpoint: 'all',
    max: 0,
    actual: 2,
    held: false,
  };
  const attempt = (rate: number, part: Partial<LoadResult>) => ({
    rate,
    result: { ...sampleResult({ seconds: 3, rate: 20 }), ...part },
  });
  const breakpoint = { steps: [], highestHeld: 100, lowestCrossed: 200 };

  const held = attempt(100, { verdict: 'passed' });
  const crossed = attempt(200, { verdict: 'failed' });
  const behind = (rate: number) =>
    attempt(rate, { verdict: 'invalid', reason: 'the client fell behind' });
  const none = { steps: [], lowestCrossed: 100 };
  const bracket = 'the thresholds hold at 100/s; the thresholds do not hold at 200/s';

  test.each([
    ['a bracket', breakpoint, [held, crossed], 'passed', bracket],
    [
      'the client fell behind at the upper end',
      breakpoint,
      [held, behind(200), behind(200)],
      'invalid',
      'limited by the client: at 200/s the client fell behind; the thresholds hold at 100/s',
    ],
    [
      'the client fell behind at the upper end only once',
      breakpoint,
      [held, crossed, behind(200)],
      'passed',
      bracket,
    ],
    [
      'the client fell behind at the lowest rate',
      none,
      [behind(100), behind(100)],
      'invalid',
      'limited by the client: at 100/s the client fell behind',
    ],
    [
      'no rate held',
      none,
      [attempt(100, { verdict: 'failed' })],
      'failed',
      'the thresholds do not hold even at 100/s',
    ],
    [
      'a run ended early',
      breakpoint,
      [held, attempt(200, { verdict: 'incomplete', reason: 'the run was ended early' })],
      'incomplete',
      'the run was ended early',
    ],
    [
      'a wrong reply at any rate',
      breakpoint,
      [held, attempt(200, { verdict: 'failed', thresholds: [wrong] })],
      'failed',
      `at 200/s wrong of all requests is 2: at most 0 allowed, crossed by 2; ${bracket}`,
    ],
  ])('%s -> the verdict on the search', (_, found, attempts, verdict, reason) => {
    expect(searchVerdict({ breakpoint: found, attempts })).toEqual({ verdict, reason });
  });
});
