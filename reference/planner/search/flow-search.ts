import { at } from '../domain/at.ts';
import type { BoundLine } from '../dual/bound-lines.ts';
import { type AcyclicFlow, bestAcyclicFlow } from '../dual/branch-and-bound.ts';
import { solveDual } from '../dual/dual-solver.ts';
import type { FlowProblem } from '../dual/flow-problem.ts';
import type { Arc } from '../graph/arc.ts';
import { cheapestPathsFor, singlePathsFor } from '../paths/best-path.ts';
import { Path } from '../paths/path.ts';
import {
  isBarelyMoved,
  networkOfPath,
  networkOfSplit,
  type PathSplit,
  splitOfOne,
} from '../paths/path-split.ts';
import { splitOfFlow } from './flow-network.ts';
import { networksNetOfCosts } from './net-of-gas.ts';
import type { BoundLines, Search, SinglePath, Split } from './search.ts';
import { structureAmount } from './structure-amount.ts';

const MAX_ORDERS = 4;
/** If an order lowers the input by less than this fraction, no further order is tried. */
const MIN_ORDER_SAVING = 1e-9;

/** The search among all acyclic flows for a token pair. */
export type FlowSearch = Search & {
  /**
   * Returns the best path and its split of the whole input, if the input hardly moves the path's
   * rate.
   */
  readonly unsplit: (input: number) => { readonly path: Path; readonly split: Split } | undefined;
};

/** @param maxSolutions - Maximum number of dual problems to solve by branch and bound per input. */
export function createFlowSearch(problem: FlowProblem, maxSolutions?: number): FlowSearch {
  const { arcs } = problem;
  const { capacityIn, capacityOut } = capacitiesOf(problem);
  const bestRate = Math.exp(at(problem.referenceLogPrice, problem.sell));
  const depth = capacityOut / bestRate;
  const bestPath = problem.isArbitrageFree ? pathThroughDistinctPools(problem) : undefined;
  const unmoved: BoundLine = { price: bestRate, profit: 0, maxInput: Number.POSITIVE_INFINITY };
  const unsplit: FlowSearch['unsplit'] = (amount) => {
    if (bestPath === undefined) return undefined;
    const split = splitOfOne(bestPath, { kind: 'input', amount });
    if (!isBarelyMoved(split)) return undefined;
    return { path: bestPath, split: splitOfPaths(split, () => [unmoved]) };
  };
  let last: { readonly input: number; readonly flow: AcyclicFlow } | undefined;
  /** Caches the last flow, because both `split` and `netOfCosts` need the best flow of an input. */
  const flowOf = (input: number): AcyclicFlow => {
    if (last?.input !== input) {
      last = { input, flow: bestAcyclicFlow(problem, input, { maxSolutions }) };
    }
    return last.flow;
  };
  const search = { capacityIn, capacityOut, bestRate, depth, unsplit };
  return {
    ...search,
    split: (input) => unsplit(input)?.split ?? splitOfFlow(problem, flowOf(input)),
    inputFor: inputSearch(problem, search, flowOf),
    singlePaths: (input, worthOver) => singlePathsOver(problem, input, worthOver),
    cheapestPaths: (output) => cheapestPathsFor(problem, output, false).map(networkOfPath),
    netOfCosts: (input, costs) => {
      const alone = unsplit(input);
      const used = alone?.path.arcs ?? flowOf(input).used.map((arc) => arcs[arc] as Arc);
      return networksNetOfCosts(problem, input, costs, used);
    },
  };
}

/**
 * Returns the function that finds the smallest input for an output.
 * @param flowOf - Returns the best flow of an input.
 */
function inputSearch(
  problem: FlowProblem,
  {
    capacityIn,
    bestRate,
    depth,
    unsplit,
  }: Pick<FlowSearch, 'capacityIn' | 'bestRate' | 'depth' | 'unsplit'>,
  flowOf: (input: number) => AcyclicFlow,
): Search['inputFor'] {
  const { sell, isArbitrageFree } = problem;
  let maxOutput: number | undefined;
  const isYielded = (output: number): boolean => {
    maxOutput ??= solveDual(problem, capacityIn).bound;
    return output <= maxOutput * (1 + MAX_OUTPUT_ROUNDING);
  };
  const inputWithin = (output: number, rateFloors: Float64Array | undefined) => {
    let start: Float64Array | undefined;
    const yieldOf = (input: number): Yield => {
      const alone = unsplit(input);
      if (alone !== undefined) return { output: alone.split.output, price: bestRate };
      const { logPrices, bound } = solveDual(problem, input, { start, rateFloors });
      start = logPrices;
      return { output: bound, price: problem.priceOf(sell, logPrices) };
    };
    return solveForInput(output, { maxInput: capacityIn, bestRate, isYielded, yieldOf });
  };
  const structured = (input: number) => structureAmount(Math.max(1, input), depth);
  return (output) => {
    let input = inputWithin(output, undefined);
    if (input === undefined || unsplit(input)) return input;
    // With profitable cycles, the output may seem to need no input. But no plan trades above the
    // best rate, and the order of a plan's tokens excludes most cycles: without such orders, plans
    // are the same but take 6 times as long.
    if (!isArbitrageFree) input = Math.max(input, output / bestRate);
    // The caller splits this input next. In an arbitrage-free market, the memoized flow then saves
    // a solution.
    let found = isArbitrageFree
      ? flowOf(structured(input))
      : sketch(problem, output, structured(input), capacityIn);
    for (let orders = 0; found.rateFloors && orders < MAX_ORDERS; orders++) {
      const next = inputWithin(output, found.rateFloors);
      if (next === undefined) break;
      if (orders > 0 && next > input * (1 - MIN_ORDER_SAVING)) break;
      input = next;
      found = flowOf(structured(input));
    }
    return input;
  };
}

function capacitiesOf({ arcs, tails, heads, sell, buy }: FlowProblem) {
  let [capacityIn, capacityOut] = [0, 0];
  for (const [index, arc] of arcs.entries()) {
    if (tails[index] === sell) capacityIn += arc.capacityIn;
    if (heads[index] === buy) capacityOut += arc.capacityOut;
  }
  return { capacityIn, capacityOut };
}

function singlePathsOver(problem: FlowProblem, input: number, worthOver: number): SinglePath[] {
  return singlePathsFor(problem, input, false, { isWhole: true, worthOver }).map((path) => ({
    arcs: path.arcs,
    network: networkOfPath(path),
    output: path.arcs.reduce((amount, arc) => arc.outputFor(amount), input),
  }));
}

function pathThroughDistinctPools({ bestPath, arcs }: FlowProblem): Path | undefined {
  const own = bestPath?.map((arc) => arcs[arc] as Arc) ?? [];
  const isDistinct = new Set(own.map(({ pool }) => pool)).size === own.length;
  return own.length > 0 && isDistinct ? new Path(own) : undefined;
}

/**
 * Returns a split among paths. The split has no network if the paths take less than the whole
 * input.
 */
export function splitOfPaths(split: PathSplit, boundLines: BoundLines): Split {
  const { root, output } = split;
  const common = { output, isNearOptimal: false, boundLines };
  return root > 0 ? { ...common, network: networkOfSplit(split) } : common;
}

/** Maximum number of dual problems that a sketch solves to find an order of tokens. */
const SKETCH_SOLUTIONS = 8;
const SKETCH_INPUT_FACTOR = 16;
/** If the output falls short by at most this fraction, the sketch does not raise the input. */
const MAX_SKETCH_SHORTFALL = 1e-4;

/**
 * Returns a rough flow after few solutions. Uses the given input, or the first larger input whose
 * flow yields enough or follows an order of the tokens.
 */
function sketch(
  problem: FlowProblem,
  output: number,
  input: number,
  maxInput: number,
): AcyclicFlow {
  const found = bestAcyclicFlow(problem, input, { maxSolutions: SKETCH_SOLUTIONS });
  const isLast = found.rateFloors !== undefined || input * SKETCH_INPUT_FACTOR >= maxInput;
  if (isLast || found.output >= output * (1 - MAX_SKETCH_SHORTFALL)) return found;
  return sketch(problem, output, input * SKETCH_INPUT_FACTOR, maxInput);
}

const MAX_OUTPUT_ROUNDING = 1e-9;
/** Maximum relative difference between the yield and the output. */
const MAX_OUTPUT_ERROR = 1e-11;
/** The search ends when the bracket's relative width is at most this. */
const MIN_RELATIVE_BRACKET = 1e-13;
const MAX_YIELDS = 40;
/** Evaluations after which a slow search checks whether any input yields the output at all. */
const FEASIBILITY_CHECK_AFTER = 5;
/** If the fit leaves the bracket, the next input is at most this multiple of the lower end. */
const MAX_INPUT_FACTOR = 16;

type Yield = {
  readonly output: number;
  readonly price: number;
};

type Yields = {
  readonly maxInput: number;
  readonly bestRate: number;
  readonly isYielded: (output: number) => boolean;
  readonly yieldOf: (input: number) => Yield;
};

/**
 * Returns the input that yields `output`; `undefined` if there is none. Each step fits
 * `price * x / (1 + bend * x)` to the last yield and its price, and stays within the bracket.
 */
function solveForInput(
  output: number,
  { maxInput, bestRate, isYielded, yieldOf }: Yields,
): number | undefined {
  let low = 0;
  let high = maxInput;
  let input = Math.min(high, output / bestRate);
  for (let yields = 0; yields < MAX_YIELDS; yields++) {
    if (yields === FEASIBILITY_CHECK_AFTER && !isYielded(output)) return undefined;
    const found = yieldOf(input);
    if (Math.abs(output - found.output) <= MAX_OUTPUT_ERROR * output) return input;
    if (found.output < output) low = input;
    else high = input;
    if (high - low <= MIN_RELATIVE_BRACKET * high) return isYielded(output) ? high : undefined;
    const slope = found.output / input / found.price;
    const price = (slope * found.output) / input;
    const next = output / (price - ((slope - 1) / input) * output);
    if (next > low && next < high) input = next;
    else if (low === 0) input = high / 2;
    else input = Math.min(Math.sqrt(low) * Math.sqrt(high), low * MAX_INPUT_FACTOR);
  }
  return input;
}
