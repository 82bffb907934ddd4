import { InvalidArgumentError } from 'commander';
import { describe, expect, test } from 'vitest';
import { sampleResult } from '../result/sample-result.testing.ts';
import { checkThresholds, type MeasuredMetrics } from './check-thresholds.ts';
import { describeCrossing } from './describe-threshold.ts';
import { parseThreshold } from './parse-threshold.ts';

describe('parseThreshold', () => {
  test.each([
    ['p99<250', { metric: 'p99', max: 250 }],
    ['p99.99<=1.5s', { metric: 'p99.99', max: 1500 }],
    ['swap calldata:p50 < 20 ms', { metric: 'p50', endpoint: 'swap calldata', max: 20 }],
    ['errors<0.1%', { metric: 'errors', max: 0.001 }],
    ['all:rate>99%', { metric: 'rate', min: 0.99 }],
    ['wrong<=0', { metric: 'wrong', max: 0 }],
    ['errors<0.5', { metric: 'errors', max: 0.5 }],
    ['errors<100%', { metric: 'errors', max: 1 }],
  ])('%s -> %o', (text, threshold) => {
    expect(parseThreshold(text)).toEqual(threshold);
  });

  test.each(['', 'p99', 'p98<1', 'p99=1', 'p99<x', 'p99<1..2', ':p99<1'])(
    '%s -> an error',
    (text) => {
      expect(() => parseThreshold(text)).toThrow(InvalidArgumentError);
    },
  );
});

describe('a bound that, in its unit, is always or never crossed', () => {
  test.each([
    ['errors<1', /a share of at most 100%, such as 'errors<0\.1%'/],
    ['errors<200%', /a share of at most 100%/],
    ['rate>99', /a share of at most 100%, such as 'rate>99%'/],
    ['errors<1s', /a share of at most 100%/],
    ['p99<50%', /milliseconds, or seconds with s, such as 'p99<250'/],
    ['wrong<1%', /a number of replies, such as 'wrong<5'/],
  ])('%s -> rejected, with the expected value', (text, words) => {
    expect(() => parseThreshold(text)).toThrow(words);
  });
});

describe('checkThresholds', () => {
  const result = sampleResult();
  const metrics: MeasuredMetrics = {
    endpoints: result.endpoints,
    series: result.series,
    intervalS: 1,
    sampleCount: (endpoint) =>
      endpoint === 'tokens'
        ? { judged: 0, wrong: 0 }
        : { judged: 50, wrong: 2, firstWrongS: endpoint === 'all' ? 7 : 9 },
    warmUpS: 2,
  };
  const check = (text: string) => checkThresholds([parseThreshold(text)], metrics)[0];

  test('a metric within its bound -> held, with the measured value', () => {
    expect(check('p50<1s')).toMatchObject({ held: true, endpoint: 'all', max: 1000 });
    expect(check('p50<1s')?.actual).toBeGreaterThan(0);
  });

  test('a metric beyond its bound -> crossed, with the excess and the first crossing after the warm-up', () => {
    const crossed = check('p99<1');
    expect(crossed).toMatchObject({ held: false, firstCrossedS: 2 });
    expect(describeCrossing(crossed as NonNullable<typeof crossed>)).toMatch(
      /^p99 of all requests is [\d.]+ ms: at most 1 ms allowed, crossed by [\d.]+ ms \(\d+%\), first at 2 s$/,
    );
  });

  test('a threshold for one endpoint -> its value, and its first crossing', () => {
    const crossed = check('swap calldata:p50<12');
    expect(crossed).toMatchObject({ held: false, endpoint: 'swap calldata', firstCrossedS: 2 });
    expect(crossed?.actual).toBeGreaterThan(12);
    expect(check('tokens:p50<12')?.held).toBe(true);
    expect(check('swap calldata:p50<25')?.held).toBe(true);
  });

  test('wrong replies -> the second of the first wrong reply, overall and by endpoint', () => {
    expect(check('wrong<=0')).toMatchObject({ held: false, actual: 2, firstCrossedS: 7 });
    expect(check('swap:wrong<=0')).toMatchObject({ held: false, actual: 2, firstCrossedS: 9 });
    expect(check('swap:wrong<=2')?.held).toBe(true);
    expect(check('tokens:wrong<=0')).toMatchObject({ held: false });
    expect(check('tokens:wrong<=0')).not.toHaveProperty('actual');
  });

  const all = result.endpoints[0] as NonNullable<(typeof result.endpoints)[0]>;
  test.each([
    [
      'errors, with the excess in percentage points',
      'errors<5%',
      { errors: { timeout: all.requests / 4 } },
      (startS: number) => ({ errors: startS < 5 ? {} : { timeout: 100 } }),
      'errors of all requests is 25%: at most 5% allowed, crossed by 20 points, first at 5 s',
    ],
    [
      'a rate too low, from the first interval that lacks more than one request',
      'rate>99%',
      { sentInTime: Math.round(0.9 * all.requests) },
      (startS: number) => ({ requested: 50, reached: startS < 8 ? 49 : 40 }),
      'rate of all requests is 90%: at least 99% required, crossed by 9 points, first at 8 s',
    ],
  ])('%s -> crossed', (_, text, change, changeAt, words) => {
    const endpoints = [{ ...all, ...change }];
    const series = metrics.series.map((each) => ({ ...each, ...changeAt(each.startS) }));
    const changed = { ...metrics, endpoints, series };
    const [crossed] = checkThresholds([parseThreshold(text)], changed);
    expect(describeCrossing(crossed as never)).toBe(words);
  });

  test('an endpoint without requests -> not measured, not held', () => {
    const missing = check('no such:p99<1');
    expect(missing?.held).toBe(false);
    expect(describeCrossing(missing as never)).toBe(
      'p99 of no such was not measured: at most 1 ms allowed',
    );
  });
});
