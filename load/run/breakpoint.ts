import type { Profile } from '../profiles/profile.ts';
import type { Breakpoint, LoadResult } from '../report/load-result.ts';
import { describeCrossing } from '../thresholds/check-thresholds.ts';

type Search = Extract<Profile['workload'], { model: 'breakpoint' }>;

/**
 * Returns the highest rate at which the thresholds hold: doubles from
 * `startRate` until they do not, then halves the bracket until it is within
 * `precision`. A rate that fails is tried once more, so that one hiccup of a
 * machine does not decide. The bracket is the uncertainty.
 */
export async function searchBreakpoint(
  { startRate, maxRate, precision }: Search,
  play: (rate: number) => Promise<LoadResult>,
): Promise<Breakpoint> {
  const steps: Breakpoint['steps'] = [];
  let highestHeld: number | undefined;
  let lowestCrossed: number | undefined;
  let ended = false;

  const holds = async (rate: number): Promise<boolean> => {
    const result = await play(rate);
    const held = result.verdict === 'passed';
    ended = result.verdict === 'incomplete';
    const all = result.endpoints.find(({ name }) => name === 'all');
    const errors = Object.values(all?.errors ?? {}).reduce((sum, count) => sum + count, 0);
    const crossed = result.thresholds.filter((threshold) => !threshold.held).map(describeCrossing);
    steps.push({
      rate,
      reached: result.rateReached,
      held,
      p99: all?.latencyMs.p99 ?? 0,
      errors,
      crossed: crossed.length === 0 && !held ? [result.reason] : crossed,
    });
    return held;
  };
  const holdsTwice = async (rate: number): Promise<boolean> =>
    (await holds(rate)) || (!ended && (await holds(rate)));

  for (let rate = startRate; !ended; rate = Math.min(maxRate, rate * 2)) {
    if (await holdsTwice(rate)) highestHeld = rate;
    else lowestCrossed = rate;
    if (lowestCrossed !== undefined || rate === maxRate) break;
  }
  while (
    !ended &&
    highestHeld !== undefined &&
    lowestCrossed !== undefined &&
    lowestCrossed - highestHeld > Math.max(1, precision * lowestCrossed)
  ) {
    const middle = Math.round((highestHeld + lowestCrossed) / 2);
    if (await holdsTwice(middle)) highestHeld = middle;
    else lowestCrossed = middle;
  }
  return {
    steps,
    ...(highestHeld === undefined ? {} : { highestHeld }),
    ...(lowestCrossed === undefined ? {} : { lowestCrossed }),
  };
}
