import { describe, expect, test } from 'vitest';
import { sampleResult } from '../report/sample-result.testing.ts';
import { checkThresholds, describeCrossing, type Figures } from './check-thresholds.ts';
import { InvalidThresholdError, parseThreshold } from './parse-threshold.ts';

describe('parseThreshold', () => {
  test.each([
    ['p99<250', { metric: 'p99', max: 250 }],
    ['p99.99<=1.5s', { metric: 'p99.99', max: 1500 }],
    ['swap calldata:p50 < 20 ms', { metric: 'p50', endpoint: 'swap calldata', max: 20 }],
    ['errors<0.1%', { metric: 'errors', max: 0.001 }],
    ['all:rate>99%', { metric: 'rate', min: 0.99 }],
    ['wrong<=0', { metric: 'wrong', max: 0 }],
  ])('%s -> %o', (text, threshold) => {
    expect(parseThreshold(text)).toEqual(threshold);
  });

  test.each(['', 'p99', 'p98<1', 'p99=1', 'p99<x', 'p99<1..2', ':p99<1'])(
    '%s -> an error',
    (text) => {
      expect(() => parseThreshold(text)).toThrow(InvalidThresholdError);
    },
  );
});

describe('checkThresholds', () => {
  const result = sampleResult();
  const figures: Figures = {
    endpoints: result.endpoints,
    seriesOf: () => result.series,
    wrong: 2,
    firstWrongS: 7,
    rateRatio: 0.9,
    warmUpS: 2,
  };
  const check = (text: string) => checkThresholds([parseThreshold(text)], figures)[0];

  test('within its bound -> held, with the figure', () => {
    expect(check('p50<1s')).toMatchObject({ held: true, endpoint: 'all', max: 1000 });
    expect(check('p50<1s')?.actual).toBeGreaterThan(0);
  });

  test('past its bound -> which, by how much, and when first after the warm-up', () => {
    const crossed = check('p99<1');
    expect(crossed).toMatchObject({ held: false, firstCrossedS: 2 });
    expect(describeCrossing(crossed as NonNullable<typeof crossed>)).toMatch(
      /^p99 of all requests is [\d.]+ ms: at most 1 ms allowed, crossed by [\d.]+ ms \(\d+ %\), first at 2 s$/,
    );
  });

  test('wrong replies -> the second of the first one', () => {
    expect(check('wrong<=0')).toMatchObject({ held: false, actual: 2, firstCrossedS: 7 });
  });

  test('a rate too low -> crossed, against a least value', () => {
    expect(describeCrossing(check('rate>99%') as never)).toContain(
      'rate of all requests is 90 %: at least 99 % asked, crossed by 9 % (9.1 %)',
    );
  });

  test('an endpoint that was never asked -> not measured, not held', () => {
    const missing = check('no such:p99<1');
    expect(missing?.held).toBe(false);
    expect(describeCrossing(missing as never)).toBe(
      'p99 of no such was not measured: at most 1 ms allowed',
    );
  });
});
