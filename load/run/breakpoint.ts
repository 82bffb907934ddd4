import { given } from '../../conformance/output/option-values.ts';
import type { Breakpoint, LoadResult } from '../model/load-result.ts';
import { errorCount } from '../model/metrics.ts';
import type { Profile } from '../model/profile.ts';
import type { Verdict } from '../result/verdict.ts';
import { describeCrossing } from '../thresholds/describe-threshold.ts';

type Search = Extract<Profile['workload'], { model: 'breakpoint' }>;

export type Attempt = { readonly rate: number; readonly result: LoadResult };

/** What a search found, and every run it made, in order. */
type SearchResult = {
  readonly breakpoint: Breakpoint;
  readonly attempts: readonly Attempt[];
};

/**
 * Returns the highest rate at which the thresholds hold: doubles from
 * `startRate` until they do not, then halves the bracket until it is within
 * `precision`. A rate that fails is tried once more, so that one hiccup of a
 * machine does not decide. The bracket is the uncertainty. A run that is
 * incomplete ends the search and says nothing of its rate.
 */
export async function searchBreakpoint(
  { startRate, maxRate, precision }: Search,
  play: (rate: number) => Promise<LoadResult>,
): Promise<SearchResult> {
  const attempts: Attempt[] = [];
  let highestHeld: number | undefined;
  let lowestCrossed: number | undefined;
  let ended = false;

  /** Tries a rate, twice where need be; false where there is no saying. */
  const narrow = async (rate: number): Promise<boolean> => {
    for (let tries = 0; tries < 2; tries++) {
      const result = await play(rate);
      attempts.push({ rate, result });
      ended = result.verdict === 'incomplete';
      if (ended) return false;
      if (result.verdict === 'passed') {
        highestHeld = rate;
        return true;
      }
    }
    lowestCrossed = rate;
    return true;
  };

  for (let rate = startRate; await narrow(rate); rate = Math.min(maxRate, rate * 2)) {
    if (lowestCrossed !== undefined || rate === maxRate) break;
  }
  while (
    !ended &&
    highestHeld !== undefined &&
    lowestCrossed !== undefined &&
    lowestCrossed - highestHeld > Math.max(1, precision * lowestCrossed)
  ) {
    await narrow(Math.round((highestHeld + lowestCrossed) / 2));
  }
  return {
    attempts,
    breakpoint: {
      steps: attempts.filter(({ result }) => result.verdict !== 'incomplete').map(describeStep),
      ...given({ highestHeld, lowestCrossed }),
    },
  };
}

/**
 * Returns the verdict on a search: it passes when some rate held. A rate may be
 * too much for a service, but a wrong reply fails the search at any rate.
 */
export function searchVerdict({ breakpoint, attempts }: SearchResult): Verdict {
  const ended = attempts.find(({ result }) => result.verdict === 'incomplete');
  if (ended !== undefined) return { verdict: 'incomplete', reason: ended.result.reason };
  const { highestHeld, lowestCrossed } = breakpoint;
  const atCrossed = attempts.filter(({ rate }) => rate === lowestCrossed);
  const clientGaveUp = atCrossed.every(({ result }) => result.verdict === 'invalid');
  const [first] = atCrossed;
  if (highestHeld === undefined && clientGaveUp && first !== undefined) {
    return { verdict: 'invalid', reason: `at ${first.rate}/s ${first.result.reason}` };
  }
  const bracket =
    highestHeld === undefined
      ? `the thresholds do not hold even at ${lowestCrossed}/s`
      : `the thresholds hold at ${highestHeld}/s ${
          lowestCrossed === undefined
            ? 'and no higher rate was tried'
            : `and do not at ${lowestCrossed}/s${clientGaveUp ? ', where the client itself fell behind' : ''}`
        }`;
  for (const { rate, result } of attempts) {
    const wrong = result.thresholds.filter(({ metric, held }) => metric === 'wrong' && !held);
    if (wrong.length > 0) {
      return {
        verdict: 'failed',
        reason: `at ${rate}/s ${wrong.map(describeCrossing).join('; ')}; ${bracket}`,
      };
    }
  }
  return { verdict: highestHeld === undefined ? 'failed' : 'passed', reason: bracket };
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
