import type { Histogram } from 'hdr-histogram-js';
import { studentQuantile, wilsonInterval } from '../../conformance/model/statistics.ts';
import { decodeAll, percentileMs } from '../model/histogram.ts';
import type { EndpointResult, LoadResult } from '../model/load-result.ts';
import { errorCount } from '../model/metrics.ts';
import { type Change, COMPARED } from './change.ts';

/** Confidence level at which a metric's intervals hold for all endpoints together. */
export const CONFIDENCE = 0.95;

/**
 * Returns the change in every metric of every endpoint. A percentile's confidence interval comes
 * from the ranks between which it lies, and a share's interval is Wilson's. The intervals of the
 * two runs are combined by Newcombe's method. It assumes independent requests, so it misses effects
 * that shift a whole run.
 *
 * @see Newcombe, "Interval estimation for the difference between independent proportions" (1998)
 */
export function compareLoad(base: LoadResult, head: LoadResult): Change[] {
  const pairs = base.endpoints.flatMap((before) => {
    const after = head.endpoints.find(({ name }) => name === before.name);
    return after === undefined ? [] : [{ before, after }];
  });
  const z = studentQuantile(1 - (1 - CONFIDENCE) / Math.max(1, pairs.length), NEARLY_NORMAL);
  return pairs.flatMap((pair) => [...latencyChanges(pair, z), errorChange(pair, z)]);
}

type Pair = { readonly before: EndpointResult; readonly after: EndpointResult };

/**
 * Returns the verdict on a change with this interval. If the interval contains 0, the change is
 * noise.
 */
export function verdictOf([low, high]: Change['interval']): Change['verdict'] {
  return low > 0 ? 'regression' : high < 0 ? 'improvement' : 'noise';
}

function latencyChanges({ before, after }: Pair, z: number): Change[] {
  const base = decodeAll([before.latencyHistogram]);
  const head = decodeAll([after.latencyHistogram]);
  const count = Math.min(base.totalCount, head.totalCount);
  if (count === 0) return [];
  return Object.entries(COMPARED).map(([name, share]) => {
    const [low, high] = differenceOf(logRange(base, share, z), logRange(head, share, z));
    const interval = [Math.expm1(low), Math.expm1(high)] as const;
    const [baseMs, headMs] = [percentileMs(base, 100 * share), percentileMs(head, 100 * share)];
    return {
      endpoint: before.name,
      metric: name as keyof typeof COMPARED,
      base: baseMs,
      head: headMs,
      change: headMs / baseMs - 1,
      interval,
      verdict: count * (1 - share) < MIN_BEYOND ? 'unclear' : verdictOf(interval),
    };
  });
}

function errorChange({ before, after }: Pair, z: number): Change {
  const rangeOf = (result: EndpointResult): Range => {
    const [errors, { requests }] = [errorCount(result), result];
    const value = requests === 0 ? 0 : errors / requests;
    return { value, ...wilsonInterval(errors, requests, z) };
  };
  const [base, head] = [rangeOf(before), rangeOf(after)];
  const interval = differenceOf(base, head);
  const change = head.value - base.value;
  return {
    ...{ endpoint: before.name, metric: 'errors', base: base.value, head: head.value },
    ...{ change, interval, verdict: change === 0 ? 'noise' : verdictOf(interval) },
  };
}

/** A value with its confidence interval. */
type Range = { readonly value: number; readonly low: number; readonly high: number };

/**
 * Returns the logarithm of a percentile. Its rank among the values has a binomial distribution,
 * whose normal approximation gives the ranks of the interval's ends.
 */
function logRange(histogram: Histogram, share: number, z: number): Range {
  const reach = z * Math.sqrt((share * (1 - share)) / histogram.totalCount);
  const at = (part: number) =>
    Math.log(percentileMs(histogram, 100 * Math.min(1, Math.max(0, part))));
  return { value: at(share), low: at(share - reach), high: at(share + reach) };
}

function differenceOf(base: Range, head: Range): readonly [low: number, high: number] {
  const change = head.value - base.value;
  return [
    change - Math.hypot(head.value - head.low, base.high - base.value),
    change + Math.hypot(head.high - head.value, base.value - base.low),
  ];
}

/** With these degrees of freedom, Student's t is normal to three digits. */
const NEARLY_NORMAL = 10_000;
/** With fewer requests beyond a percentile, a change in the percentile is unclear. */
const MIN_BEYOND = 10;
