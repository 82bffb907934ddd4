import type { EndpointResult, LoadResult } from '../model/load-result.ts';
import { errorCount } from '../model/metrics.ts';
import { type Change, COMPARED } from './change.ts';
import { CONFIDENCE, verdictOf } from './compare-load.ts';

/** Results of two services in one round, one right after the other. */
export type Round = { readonly base: LoadResult; readonly head: LoadResult };

/**
 * Returns every change over rounds of two services in turns. Both runs of a round
 * share the machine's state, so its drift cancels; the interval
 * is Student's, over the logarithms of the rounds' ratios, and holds for all
 * endpoints of one metric together, however often rounds are added: the n-th
 * evaluation uses 1 / n(n + 1) of the total error probability.
 */
export function comparePaired(rounds: readonly Round[], evaluation = 1): Change[] {
  const names = (rounds[0]?.base.endpoints ?? []).map(({ name }) => name);
  const confidence =
    1 - (1 - CONFIDENCE) / Math.max(1, names.length) / (evaluation * (evaluation + 1));
  return names.flatMap((endpoint) => {
    const pairs = rounds.flatMap(({ base, head }) => {
      const before = base.endpoints.find(({ name }) => name === endpoint);
      const after = head.endpoints.find(({ name }) => name === endpoint);
      return before && after && before.requests > 0 && after.requests > 0
        ? [{ before, after }]
        : [];
    });
    if (pairs.length === 0) return [];
    return [...LATENCIES, 'errors' as const].map((metric): Change => {
      const [inScale, outOfScale, asChange] =
        metric === 'errors' ? [shareOf, Number, Number] : [logOf(metric), Math.exp, Math.expm1];
      const base = pairs.map(({ before }) => inScale(before));
      const head = pairs.map(({ after }) => inScale(after));
      const { mean, low, high } = studentInterval(
        head.map((value, round) => value - (base[round] ?? 0)),
        confidence,
      );
      const interval = [asChange(low), asChange(high)] as const;
      const isSame = metric === 'errors' && mean === 0;
      return {
        endpoint,
        metric,
        base: outOfScale(average(base)),
        head: outOfScale(average(head)),
        change: asChange(mean),
        interval,
        verdict: pairs.length < 2 ? 'unclear' : isSame ? 'noise' : verdictOf(interval),
      };
    });
  });
}

const LATENCIES = Object.keys(COMPARED) as (keyof typeof COMPARED)[];

/** Latencies are compared by the difference of their logarithms. */
function logOf(metric: keyof typeof COMPARED) {
  return ({ latencyMs }: EndpointResult) => Math.log(Math.max(RESOLUTION_MS, latencyMs[metric]));
}

function shareOf(result: EndpointResult): number {
  return errorCount(result) / result.requests;
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

const RESOLUTION_MS = 0.001;

/** Returns the mean of differences and its confidence interval; unbounded for fewer than two. */
export function studentInterval(differences: readonly number[], confidence: number) {
  const mean = differences.reduce((sum, each) => sum + each, 0) / differences.length;
  const freedom = differences.length - 1;
  if (freedom < 1) return { mean, low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };
  const variance = differences.reduce((sum, each) => sum + (each - mean) ** 2, 0) / freedom;
  const reach = studentQuantile(confidence, freedom) * Math.sqrt(variance / differences.length);
  return { mean, low: mean - reach, high: mean + reach };
}

/**
 * Returns the value that Student's t of the given degrees of freedom stays within,
 * on both sides, with the probability `confidence`.
 *
 * @example
 * studentQuantile(0.95, 5) // 2.5706
 */
export function studentQuantile(confidence: number, freedom: number): number {
  let [low, high] = [0, 1];
  while (withinProbability(high, freedom) < confidence) high *= 2;
  for (let halvings = 0; halvings < 60; halvings++) {
    const middle = (low + high) / 2;
    if (withinProbability(middle, freedom) < confidence) low = middle;
    else high = middle;
  }
  return high;
}

/** The probability that |T| < t. Abramowitz and Stegun (1964), 26.7.3 and 26.7.4: finite for whole degrees of freedom. */
function withinProbability(t: number, freedom: number): number {
  const angle = Math.atan(t / Math.sqrt(freedom));
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
  const isOdd = freedom % 2 === 1;
  let term = isOdd ? cosine : 1;
  let sum = freedom === 1 ? 0 : term;
  for (let power = isOdd ? 3 : 2; power <= freedom - 2; power += 2) {
    term *= (cosine ** 2 * (power - 1)) / power;
    sum += term;
  }
  return isOdd ? (2 / Math.PI) * (angle + sine * sum) : sine * sum;
}
