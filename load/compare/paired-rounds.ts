import { meanOf, studentInterval } from '../../conformance/model/statistics.ts';
import type { EndpointResult, LoadResult } from '../model/load-result.ts';
import { errorCount } from '../model/metrics.ts';
import { type Change, COMPARED } from './change.ts';
import { CONFIDENCE, verdictOf } from './compare-load.ts';

/** Results of one round, in which two services ran one right after the other. */
export type Round = { readonly base: LoadResult; readonly head: LoadResult };

/**
 * Returns the change in every metric of every endpoint, over rounds in which two services took
 * turns. Both runs of a round share the machine's state, so the machine's drift cancels. The
 * intervals are Student's t intervals over the rounds, for the logarithms of latency ratios and for
 * the differences between error shares. They hold for all endpoints of a metric together, however
 * often rounds are added: the n-th evaluation uses 1 / n(n + 1) of the total error probability.
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
        base: outOfScale(meanOf(base)),
        head: outOfScale(meanOf(head)),
        change: asChange(mean),
        interval,
        verdict: pairs.length < 2 ? 'unclear' : isSame ? 'noise' : verdictOf(interval),
      };
    });
  });
}

const LATENCIES = Object.keys(COMPARED) as (keyof typeof COMPARED)[];

/** Latencies are compared by the difference between their logarithms. */
function logOf(metric: keyof typeof COMPARED) {
  return ({ latencyMs }: EndpointResult) => Math.log(Math.max(RESOLUTION_MS, latencyMs[metric]));
}

function shareOf(result: EndpointResult): number {
  return errorCount(result) / result.requests;
}

const RESOLUTION_MS = 0.001;
