import { errorCount } from '../model/figures.ts';
import type { LoadResult } from '../model/load-result.ts';
import type { Change } from './change.ts';
import { COMPARED } from './change.ts';
import { CONFIDENCE, verdictOf } from './compare-load.ts';
import { studentInterval } from './student-distribution.ts';

/** What two services did in one round, one right after the other. */
export type Round = { readonly base: LoadResult; readonly head: LoadResult };

/**
 * Returns every change over rounds of two services in turns. A round's ratio
 * has the machine's state in common, so its drift does not decide; the interval
 * is Student's, over the logarithms of the rounds' ratios, and holds for all
 * endpoints of one metric together, however often rounds are added and looked
 * at again: the n-th look spends 1 / n(n + 1) of what may go wrong in all.
 */
export function comparePaired(rounds: readonly Round[], look = 1): Change[] {
  const names = (rounds[0]?.base.endpoints ?? []).map(({ name }) => name);
  const confidence = 1 - (1 - CONFIDENCE) / Math.max(1, names.length) / (look * (look + 1));
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
      const { mean, low, high } = studentInterval(
        head.map((log, i) => log - (base[i] ?? 0)),
        confidence,
      );
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
    const { mean, low, high } = studentInterval(
      head.map((each, i) => each - (base[i] ?? 0)),
      confidence,
    );
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

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

const RESOLUTION_MS = 0.001;
