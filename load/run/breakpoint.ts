import { given } from '../../conformance/output/option-values.ts';
import type { Breakpoint, LoadResult } from '../model/load-result.ts';
import { errorCount } from '../model/metrics.ts';
import type { Profile } from '../model/profile.ts';
import type { Verdict } from '../result/verdict.ts';
import { describeCrossing } from '../thresholds/describe-threshold.ts';

type Search = Extract<Profile['workload'], { model: 'breakpoint' }>;

export type Attempt = { readonly rate: number; readonly result: LoadResult };

type SearchResult = {
  readonly breakpoint: Breakpoint;
  readonly attempts: readonly Attempt[];
};

/**
 * Searches for the highest rate at which the thresholds hold. Doubles the rate from `startRate`
 * until a threshold fails, then halves the bracket until it is within `precision`. A rate fails
 * after two runs that crossed a threshold, so that a single disturbance on the machine does not
 * decide the result. An invalid run shows nothing about the service, so it is repeated, at most
 * twice. The final bracket shows the uncertainty of the result. An incomplete run ends the search,
 * and its rate does not count.
 */
export async function searchBreakpoint(
  { startRate, maxRate, precision }: Search,
  run: (rate: number) => Promise<LoadResult>,
): Promise<SearchResult> {
  const attempts: Attempt[] = [];
  let highestHeld: number | undefined;
  let lowestCrossed: number | undefined;
  let ended = false;

  const tryRate = async (rate: number): Promise<boolean> => {
    let crossed = 0;
    let invalid = 0;
    while (crossed < MAX_CROSSED && invalid < MAX_INVALID) {
      const result = await run(rate);
      attempts.push({ rate, result });
      ended = result.verdict === 'incomplete';
      if (ended) return false;
      if (result.verdict === 'passed') {
        highestHeld = rate;
        return true;
      }
      if (result.verdict === 'invalid') invalid += 1;
      else crossed += 1;
    }
    lowestCrossed = rate;
    return true;
  };

  for (let rate = startRate; await tryRate(rate); rate = Math.min(maxRate, rate * 2)) {
    if (lowestCrossed !== undefined || rate === maxRate) break;
  }
  while (
    !ended &&
    highestHeld !== undefined &&
    lowestCrossed !== undefined &&
    lowestCrossed - highestHeld > Math.max(1, precision * lowestCrossed)
  ) {
    await tryRate(Math.round((highestHeld + lowestCrossed) / 2));
  }
  return {
    attempts,
    breakpoint: {
      steps: attempts.filter(({ result }) => result.verdict !== 'incomplete').map(describeStep),
      ...given({ highestHeld, lowestCrossed }),
    },
  };
}

/** Runs at one rate after which the rate fails: that crossed a threshold, and that were invalid. */
const [MAX_CROSSED, MAX_INVALID] = [2, 3];

/**
 * Returns the verdict on a search. A search passes if a rate held and the service crossed a
 * threshold at a higher rate, or if the maximum rate held. If the client fell behind and the
 * service crossed no threshold, the search is invalid. A wrong reply at any rate fails the search.
 */
export function searchVerdict({ breakpoint, attempts }: SearchResult): Verdict {
  const ended = attempts.find(({ result }) => result.verdict === 'incomplete');
  if (ended !== undefined) return { verdict: 'incomplete', reason: ended.result.reason };
  const { highestHeld, lowestCrossed } = breakpoint;
  const held = highestHeld === undefined ? [] : [`the thresholds hold at ${highestHeld}/s`];
  const atCrossed = attempts.filter(({ rate }) => rate === lowestCrossed);
  const isClientLimited =
    atCrossed.length > 0 && atCrossed.every(({ result }) => result.verdict === 'invalid');
  const limit = isClientLimited
    ? [`limited by the client: at ${lowestCrossed}/s ${atCrossed[0]?.result.reason}`]
    : lowestCrossed === undefined
      ? ['no higher rate was tried']
      : [
          `the thresholds do not hold ${highestHeld === undefined ? 'even ' : ''}at ${lowestCrossed}/s`,
        ];
  const wrong = attempts.flatMap(({ rate, result }) => {
    const crossed = result.thresholds.filter((each) => each.metric === 'wrong' && !each.held);
    return crossed.map((each) => `at ${rate}/s ${describeCrossing(each)}`);
  });
  if (wrong.length > 0) {
    return { verdict: 'failed', reason: [...wrong.slice(0, 1), ...held, ...limit].join('; ') };
  }
  if (isClientLimited) return { verdict: 'invalid', reason: [...limit, ...held].join('; ') };
  const verdict = highestHeld === undefined ? 'failed' : 'passed';
  return { verdict, reason: [...held, ...limit].join('; ') };
}

function describeStep({ rate, result }: Attempt): Breakpoint['steps'][number] {
  const { verdict, reason, thresholds, rateReached, endpoints } = result;
  const all = endpoints.find(({ name }) => name === 'all');
  const crossed = thresholds.filter(({ held }) => !held).map(describeCrossing);
  const outcome =
    verdict === 'passed' ? 'held' : verdict === 'invalid' ? 'invalid' : ('crossed' as const);
  const reasons = { held: [], crossed, invalid: [reason] };
  return {
    rate,
    reached: rateReached,
    outcome,
    p50: all?.latencyMs.p50 ?? 0,
    p99: all?.latencyMs.p99 ?? 0,
    errors: all === undefined ? 0 : errorCount(all),
    reasons: reasons[outcome],
  };
}
