import type { LoadResult } from '../report/load-result.ts';
import { errorCount } from '../report/words.ts';
import { type Change, COMPARED, verdictOf } from './compare-load.ts';

/** What two services did in one round, one right after the other. */
export type Round = { readonly base: LoadResult; readonly head: LoadResult };

/**
 * Returns every change over rounds of two services in turns. A round's ratio
 * has the machine's state in common, so its drift does not decide; the interval
 * is Student's, over the logarithms of the rounds' ratios.
 */
export function comparePaired(rounds: readonly Round[]): Change[] {
  const names = (rounds[0]?.base.endpoints ?? []).map(({ name }) => name);
  return names.flatMap((endpoint) => {
    const pairs = rounds.flatMap(({ base, head }) => {
      const before = base.endpoints.find(({ name }) => name === endpoint);
      const after = head.endpoints.find(({ name }) => name === endpoint);
      return before && after && before.requests > 0 && after.requests > 0
        ? [{ before, after }]
        : [];
    });
    if (pairs.length === 0) return [];
    const latencies = Object.keys(COMPARED).map((name): Change => {
      const metric = name as keyof typeof COMPARED;
      const [base, head] = [
        pairs.map(({ before }) => Math.log(Math.max(RESOLUTION_MS, before.latencyMs[metric]))),
        pairs.map(({ after }) => Math.log(Math.max(RESOLUTION_MS, after.latencyMs[metric]))),
      ];
      const { mean, low, high } = studentInterval(head.map((log, i) => log - (base[i] ?? 0)));
      const interval = [Math.expm1(low), Math.expm1(high)] as const;
      return {
        endpoint,
        metric,
        base: Math.exp(average(base)),
        head: Math.exp(average(head)),
        change: Math.expm1(mean),
        interval,
        verdict: pairs.length < 2 ? 'unclear' : verdictOf(interval),
      };
    });
    const share = (result: LoadResult['endpoints'][number]) => errorCount(result) / result.requests;
    const [base, head] = [
      pairs.map(({ before }) => share(before)),
      pairs.map(({ after }) => share(after)),
    ];
    const { mean, low, high } = studentInterval(head.map((each, i) => each - (base[i] ?? 0)));
    return [
      ...latencies,
      {
        endpoint,
        metric: 'errors',
        base: average(base),
        head: average(head),
        change: mean,
        interval: [low, high],
        verdict: pairs.length < 2 ? 'unclear' : mean === 0 ? 'noise' : verdictOf([low, high]),
      },
    ];
  });
}

/** Returns the mean of differences and where it is with 95 % confidence; without bounds for fewer than two. */
export function studentInterval(differences: readonly number[]): {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
} {
  const mean = average(differences);
  const freedom = differences.length - 1;
  if (freedom < 1) return { mean, low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };
  const variance = differences.reduce((sum, each) => sum + (each - mean) ** 2, 0) / freedom;
  const t = T_95[freedom - 1] ?? T_95_BEYOND;
  const reach = t * Math.sqrt(variance / differences.length);
  return { mean, low: mean - reach, high: mean + reach };
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

const RESOLUTION_MS = 0.001;
// Student's t, two-sided 95 %, for 1 to 20 degrees of freedom; past them, its value at 20.
const T_95 = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145,
  2.131, 2.12, 2.11, 2.101, 2.093, 2.086,
];
const T_95_BEYOND = 2.086;
