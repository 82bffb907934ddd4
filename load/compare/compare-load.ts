import { createRandom } from '../../conformance/model/random.ts';
import { drawBeta, quantileOf } from '../../conformance/model/statistics.ts';
import { decodeAll, type Quantiles, quantilesOf } from '../model/histogram.ts';
import type { EndpointResult, LoadResult } from '../model/load-result.ts';
import { errorCount } from '../model/metrics.ts';
import { type Change, COMPARED } from './change.ts';

/** Confidence level at which a metric's intervals hold for all endpoints together. */
export const CONFIDENCE = 0.95;

/**
 * Returns the change in every metric of every endpoint. Confidence intervals come from a percentile
 * bootstrap of the histograms. It assumes independent requests, so it misses effects that shift a
 * whole run.
 */
export function compareLoad(base: LoadResult, head: LoadResult, seed = 1): Change[] {
  const pairs = base.endpoints.flatMap((before) => {
    const after = head.endpoints.find(({ name }) => name === before.name);
    return after === undefined ? [] : [{ before, after }];
  });
  const tail = (1 - CONFIDENCE) / Math.max(1, pairs.length) / 2;
  const uniform = createRandom(seed);
  return pairs.flatMap((pair) => [
    ...latencyChanges(pair, tail, uniform),
    errorChange(pair, tail, uniform),
  ]);
}

type Pair = { readonly before: EndpointResult; readonly after: EndpointResult };

/**
 * Returns the verdict on a change with this interval. If the interval contains 0, the change is
 * noise.
 */
export function verdictOf([low, high]: Change['interval']): Change['verdict'] {
  return low > 0 ? 'regression' : high < 0 ? 'improvement' : 'noise';
}

function latencyChanges({ before, after }: Pair, tail: number, uniform: () => number): Change[] {
  const base = quantilesOf(decodeAll([before.latencyHistogram]));
  const head = quantilesOf(decodeAll([after.latencyHistogram]));
  if (base.count === 0 || head.count === 0) return [];
  return Object.entries(COMPARED).map(([name, share]) => {
    const drawn = (of: Quantiles) => resample(of, share, uniform);
    const interval = spread(() => drawn(head) / drawn(base) - 1, tail);
    const beyond = Math.min(base.count, head.count) * (1 - share);
    return {
      endpoint: before.name,
      metric: name as keyof typeof COMPARED,
      base: base.at(share),
      head: head.at(share),
      change: head.at(share) / base.at(share) - 1,
      interval,
      verdict: beyond < MIN_BEYOND ? 'unclear' : verdictOf(interval),
    };
  });
}

function errorChange({ before, after }: Pair, tail: number, uniform: () => number): Change {
  const share = (result: EndpointResult): number =>
    result.requests === 0 ? 0 : errorCount(result) / result.requests;
  // Draws from the posterior distribution of the share of errors.
  const draw = (result: EndpointResult): number =>
    drawBeta(errorCount(result) + 1, result.requests - errorCount(result) + 1, uniform);
  const interval = spread(() => draw(after) - draw(before), tail);
  const [base, head] = [share(before), share(after)];
  const verdict = head === base ? 'noise' : verdictOf(interval);
  return {
    ...{ endpoint: before.name, metric: 'errors', base, head },
    ...{ change: head - base, interval, verdict },
  };
}

/**
 * Draws a quantile of the resample without resampling: the quantile's rank is an order statistic of
 * uniform numbers, which has a beta distribution.
 */
function resample({ count, at }: Quantiles, share: number, uniform: () => number): number {
  const rank = Math.min(count, Math.max(1, Math.ceil(share * count)));
  return at(drawBeta(rank, count + 1 - rank, uniform));
}

function spread(draw: () => number, tail: number): readonly [number, number] {
  const sorted = Array.from({ length: DRAWS }, draw).sort((a, b) => a - b);
  return [quantileOf(sorted, tail), quantileOf(sorted, 1 - tail)];
}

const DRAWS = 4000;
// Minimum number of requests beyond a percentile. With fewer, a change in the percentile is
// unclear.
const MIN_BEYOND = 10;
