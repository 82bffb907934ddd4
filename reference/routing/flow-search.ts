import { solveDual } from './dual-solver.ts';
import { planFlow } from './flow-network.ts';
import { flowProblemOf } from './flow-problem.ts';
import { bestPathOf } from './path.ts';
import { splitOfPaths } from './path-search.ts';
import { isBarelyMoved, splitOfOne } from './path-split.ts';
import type { Pair } from './pool-graph.ts';
import type { Search } from './search.ts';

/** Returns the search among all acyclic flows of a pair whose first pools take `capacityIn`. */
export function searchFlows(
  pair: Pair,
  capacityIn: number,
): Pick<Search, 'bestPrice' | 'split' | 'inputFor'> {
  const best = bestPathOf(pair);
  const problem = flowProblemOf(pair);
  const bestPrice = Math.exp(best?.logPrice ?? 0);
  const unsplit = (amount: number) => best && splitOfOne(best, { kind: 'input', amount });
  /** What no plan can better, and the price there. */
  const boundAt = (input: number, start: Float64Array | undefined) => {
    const { logValues, bound } = solveDual(problem, input, start && { start });
    const price = Math.exp((logValues[0] ?? 0) + (problem.bestLogValue[0] ?? 0));
    return { output: bound, price, logValues };
  };
  let most: number | undefined;
  return {
    bestPrice,
    split: (input) => {
      const alone = unsplit(input);
      if (alone !== undefined && isBarelyMoved(alone)) return splitOfPaths(alone);
      return planFlow(problem, input) ?? (alone && splitOfPaths(alone));
    },
    inputFor: (output) => {
      most ??= boundAt(capacityIn, undefined).output;
      if (output > most * (1 + 1e-9)) return undefined;
      let start: Float64Array | undefined;
      return solveFor(output, capacityIn, bestPrice, (input) => {
        const alone = unsplit(input);
        if (alone !== undefined && isBarelyMoved(alone)) {
          return { output: alone.output, price: bestPrice };
        }
        const found = boundAt(input, start);
        start = found.logValues;
        return found;
      });
    },
  };
}

/** How near the output must come, as part of it; how narrow the bracket may become. */
const NEAR = 1e-11;
const NARROW = 1e-13;
const MAX_TRIES = 40;

type Yield = {
  readonly output: number;
  /** Output per input of a little more. */
  readonly price: number;
};

/**
 * Returns the input that yields `output`. Each step fits `price * x / (1 + bend * x)`
 * to where the last one stands, within the bounds known so far.
 */
function solveFor(
  output: number,
  capacityIn: number,
  bestPrice: number,
  yieldOf: (input: number) => Yield,
): number {
  let low = 0;
  let high = capacityIn;
  let input = Math.min(high, output / bestPrice);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const found = yieldOf(input);
    if (Math.abs(output - found.output) <= NEAR * output) return input;
    if (found.output < output) low = input;
    else high = input;
    if (high - low <= NARROW * high) return high;
    const slope = found.output / input / found.price;
    const price = (slope * found.output) / input;
    const next = output / (price - ((slope - 1) / input) * output);
    if (next > low && next < high) input = next;
    else input = low === 0 ? high / 2 : Math.min(Math.sqrt(low) * Math.sqrt(high), low * 16);
  }
  return input;
}
