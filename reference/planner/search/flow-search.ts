import { rememberLast } from '../domain/remember-last.ts';
import { type AcyclicFlow, bestAcyclicFlow } from '../dual/acyclic-flow.ts';
import { solveDual } from '../dual/dual-solver.ts';
import { bestPathOf } from '../dual/dual-start.ts';
import { type FlowProblem, flowProblemOf, priceOf } from '../dual/flow-problem.ts';
import { type Path, pathOfHops } from '../graph/path.ts';
import type { Pair } from '../graph/pool-graph.ts';
import { isBarelyMoved, type PathSplit, splitOfOne } from '../paths/path-split.ts';
import { splitOfFlow } from './flow-network.ts';
import { networksNetOfGas } from './net-of-gas.ts';
import { splitOfPaths } from './path-search.ts';
import type { Search, Split } from './search.ts';
import { structureAmount } from './structure-amount.ts';

/** How often an exact output is looked for along the order of tokens that was best for the input before. */
const MAX_ORDERS = 4;

/** The search among all flows, and what it leaves unsplit: the whole along the best path, where that hardly moves its price. */
export type FlowSearch = Pick<Search, 'bestPrice' | 'depth' | 'split' | 'inputFor' | 'frugal'> & {
  readonly unsplit: (input: number) => { readonly path: Path; readonly split: Split } | undefined;
};

/** Returns the search among all acyclic flows of a pair whose pools take and give so much. */
export function searchFlows(
  pair: Pair,
  { capacityIn, capacityOut }: Pick<Search, 'capacityIn' | 'capacityOut'>,
): FlowSearch {
  const problem = flowProblemOf(pair);
  const { sell, isFair, bestLogValue, hops } = problem;
  const bestPrice = Math.exp(bestLogValue[sell] ?? 0);
  const depth = capacityOut / bestPrice;
  const found = isFair
    ? pathOfHops(bestPathOf(problem)?.flatMap((hop) => hops[hop] ?? []))
    : undefined;
  const isOnce = new Set(found?.hops.map(({ pool }) => pool)).size === found?.hops.length;
  const best = isOnce ? found : undefined;
  /** The whole along the best path, if that hardly moves its price. */
  const unsplit = (amount: number): PathSplit | undefined => {
    const alone = best && splitOfOne(best, { kind: 'input', amount });
    return alone && isBarelyMoved(alone) ? alone : undefined;
  };
  const unmoved = { price: bestPrice, profit: 0, upTo: Number.POSITIVE_INFINITY };
  /** Asked twice for one input where gas is counted. */
  const flowOf = rememberLast((input: number) => bestAcyclicFlow(problem, input, pair));
  let most: number | undefined;
  const isYielded = (output: number): boolean => {
    most ??= solveDual(problem, capacityIn).bound;
    return output <= most * (1 + 1e-9);
  };
  /** The least input that yields `output` if tokens follow one order; `undefined` if none does in any. */
  const inputAlong = (output: number, limits: Float64Array | undefined) => {
    let start: Float64Array | undefined;
    const yieldOf = (input: number): Yield => {
      const alone = unsplit(input);
      if (alone !== undefined) return { output: alone.output, price: bestPrice };
      const found = solveDual(problem, input, { ...(start && { start }), limits });
      start = found.logValues;
      return { output: found.bound, price: priceOf(problem, sell, start) };
    };
    return solveFor(output, { most: capacityIn, bestPrice, isYielded, yieldOf });
  };
  return {
    bestPrice,
    depth,
    unsplit: (input) => {
      const alone = unsplit(input);
      return alone && best && { path: best, split: splitOfPaths(alone, () => [unmoved]) };
    },
    split: (input) => {
      const alone = unsplit(input);
      return alone ? splitOfPaths(alone, () => [unmoved]) : splitOfFlow(problem, flowOf(input));
    },
    frugal: (input, fees) => {
      const alone = unsplit(input);
      const used = alone ? [] : flowOf(input).used.flatMap((hop) => hops[hop] ?? []);
      return networksNetOfGas(pair, input, fees, alone?.paths[0]?.hops ?? used);
    },
    inputFor: (output) => {
      let input = inputAlong(output, undefined);
      if (input === undefined || unsplit(input)) return input;
      // Circles may seem to bring it for nothing, but no plan trades at more than the best price.
      if (!isFair) input = Math.max(input, output / bestPrice);
      const structured = (amount: number) => structureAmount(Math.max(1, amount), depth);
      // What is split next tells whether the best flow of all is a plan; a few solutions, about which order to go along.
      let found = isFair
        ? flowOf(structured(input))
        : sketch(problem, output, structured(input), capacityIn);
      for (let orders = 0; found.limits && orders < MAX_ORDERS; orders++) {
        const next = inputAlong(output, found.limits);
        if (next === undefined || (orders > 0 && next > input * (1 - ENOUGH))) break;
        input = next;
        found = flowOf(structured(input));
      }
      return input;
    },
  };
}

/** By how much less a better order of tokens must need. */
const ENOUGH = 1e-9;

/** How many solutions tell of an order, and by how much more is tried where no order is found for so little. */
const FEW_SOLUTIONS = 8;
const REACH = 16;
/** By how much less than wanted an input brings for which that is asked. */
const FAR = 1e-4;

/** The best flow that a few solutions find, of the input or the first above it that yields enough or for which they find an order. */
function sketch(problem: FlowProblem, output: number, input: number, most: number): AcyclicFlow {
  const found = bestAcyclicFlow(problem, input, { maxSolutions: FEW_SOLUTIONS });
  const isOver = found.limits !== undefined || input * REACH >= most;
  if (isOver || found.output >= output * (1 - FAR)) return found;
  return sketch(problem, output, input * REACH, most);
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

/** After so many tries it is asked whether the output is to be had at all, which takes long. */
const SOON = 5;

/** What is known of what inputs yield. */
type Yields = {
  /** No input is above it. */
  readonly most: number;
  readonly bestPrice: number;
  /** Whether any input yields as much. */
  readonly isYielded: (output: number) => boolean;
  readonly yieldOf: (input: number) => Yield;
};

/**
 * Returns the input that yields `output`; `undefined` if none does. Each step fits
 * `price * x / (1 + bend * x)` to where the last one stands, within the bounds
 * known so far.
 */
function solveFor(
  output: number,
  { most, bestPrice, isYielded, yieldOf }: Yields,
): number | undefined {
  let low = 0;
  let high = most;
  let input = Math.min(high, output / bestPrice);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    if (tries === SOON && !isYielded(output)) return undefined;
    const found = yieldOf(input);
    if (Math.abs(output - found.output) <= NEAR * output) return input;
    if (found.output < output) low = input;
    else high = input;
    if (high - low <= NARROW * high) return isYielded(output) ? high : undefined;
    const slope = found.output / input / found.price;
    const price = (slope * found.output) / input;
    const next = output / (price - ((slope - 1) / input) * output);
    if (next > low && next < high) input = next;
    else input = low === 0 ? high / 2 : Math.min(Math.sqrt(low) * Math.sqrt(high), low * 16);
  }
  return input;
}
