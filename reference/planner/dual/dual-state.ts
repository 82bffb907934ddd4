import { keptWith } from '../domain/kept-with.ts';
import { add, type FlowProblem } from './flow-problem.ts';
import { emptyTrade, tradeAt } from './hop-trade.ts';

/** The dual at some values of the tokens. */
export type DualState = {
  readonly logValues: Float64Array;
  /** Value of each node in base units of the buy token. */
  readonly values: Float64Array;
  /** Value of each node times what it holds too much. */
  readonly gradient: Float64Array;
  /** The dual's value: upper bound of what any plan can yield. */
  objective: number;
  /** Sum of what all nodes hold too much or too little, at their values. */
  imbalance: number;
};

/** Returns a state at `logValues`, not yet worked out. */
export function createState(logValues: Float64Array): DualState {
  const size = logValues.length;
  return {
    logValues: logValues.slice(),
    values: new Float64Array(size),
    gradient: new Float64Array(size),
    objective: 0,
    imbalance: 0,
  };
}

/** The dual of a problem for `input` sold within the limits of the hops, and the stretch of it that is looked at. */
export type Dual = Scratch & {
  readonly problem: FlowProblem;
  readonly input: number;
  readonly limits: Float64Array | undefined;
  /** How many hops may trade somewhere on the stretch. */
  count: number;
};

/** Filled anew for each solution, one after another: making them takes longer than what is done in them. */
type Scratch = {
  /** The first are the hops that may trade somewhere on the stretch, ascending. */
  readonly hops: Int32Array;
  /** What each of them weighs where the stretch was last looked at; 0 where its price does not move. */
  readonly weights: Float64Array;
  /** The least rate of each link on the stretch. */
  readonly leasts: Float64Array;
  /** Weighted Laplacian of the hops whose price moves, once it is asked for: its lower half, row by row. */
  readonly laplacian: Float64Array;
};

let scratch: Scratch = scratchFor(0, 0);

function scratchFor(hopCount: number, entries: number): Scratch {
  const perHop = () => new Float64Array(hopCount);
  const hops = new Int32Array(hopCount);
  return { hops, weights: perHop(), leasts: perHop(), laplacian: new Float64Array(entries) };
}

export function dualOf(
  problem: FlowProblem,
  input: number,
  limits: Float64Array | undefined,
): Dual {
  const { nodeCount, hopIn } = problem;
  const { length: most } = scratch.hops;
  const { length: mostEntries } = scratch.laplacian;
  if (most < hopIn.length || mostEntries < nodeCount ** 2) {
    scratch = scratchFor(Math.max(most, hopIn.length), Math.max(mostEntries, nodeCount ** 2));
  }
  const { hops, weights, leasts, laplacian } = scratch;
  return { problem, input, limits, hops, count: 0, weights, leasts, laplacian };
}

/** The ways from one node straight to another: those of each, and the one that each hop goes. */
type Links = {
  readonly tails: Int32Array;
  readonly heads: Int32Array;
  readonly linkOf: Int32Array;
};

const linksOf = keptWith(({ nodeCount, hopIn, hopOut }: FlowProblem): Links => {
  const known = new Int32Array(nodeCount ** 2).fill(-1);
  const firsts: number[] = [];
  const linkOf = hopIn.map((tail, hop) => {
    const link = tail * nodeCount + (hopOut[hop] ?? 0);
    if (known[link] === -1) known[link] = firsts.push(hop) - 1;
    return known[link] ?? 0;
  });
  const at = (ends: Int32Array) => Int32Array.from(firsts, (hop) => ends[hop] ?? 0);
  return { tails: at(hopIn), heads: at(hopOut), linkOf };
});

/** Rates between two values differ from those on the line between by less, which is rounding. */
const ROUNDING = 1e-9;

/** Limits what is looked at to the stretch between two values: most hops trade at neither, and nowhere between. */
export function lookBetween(dual: Dual, from: Float64Array, to: Float64Array): void {
  const { limits, hops, leasts } = dual;
  const { logStart } = dual.problem;
  const { tails, heads, linkOf } = linksOf(dual.problem);
  for (let link = 0; link < tails.length; link++) {
    const tail = tails[link] ?? 0;
    const head = heads[link] ?? 0;
    const rate = (from[tail] ?? 0) - (from[head] ?? 0);
    leasts[link] = Math.min(rate, (to[tail] ?? 0) - (to[head] ?? 0)) - ROUNDING;
  }
  let count = 0;
  for (let hop = 0; hop < linkOf.length; hop++) {
    const start = logStart[hop] ?? 0;
    if (!(start > (leasts[linkOf[hop] ?? 0] ?? 0))) continue;
    if (limits !== undefined && !(start > (limits[hop] ?? 0))) continue;
    hops[count] = hop;
    count++;
  }
  dual.count = count;
}

/** Works out all of `state` from its `logValues`, which are on the stretch. */
export function evaluate(dual: Dual, state: DualState): void {
  const { problem, input, limits, hops, count, weights } = dual;
  const { sell, buy, bestLogValue, hopIn, hopOut, logStart } = problem;
  const { logValues, values, gradient } = state;
  for (let node = 0; node < values.length; node++) {
    values[node] = Math.exp((logValues[node] ?? 0) + (bestLogValue[node] ?? 0));
  }
  gradient.fill(0);
  const trade = emptyTrade();
  let objective = input * (values[sell] ?? 0);
  gradient[sell] = objective;
  for (let at = 0; at < count; at++) {
    const hop = hops[at] ?? 0;
    const tail = hopIn[hop] ?? 0;
    const head = hopOut[hop] ?? 0;
    const logRate = (logValues[tail] ?? 0) - (logValues[head] ?? 0);
    const least = limits === undefined ? logRate : (limits[hop] ?? logRate);
    const stopped = Math.max(least, logRate);
    weights[at] = 0;
    if (!((logStart[hop] ?? 0) > stopped)) continue;
    tradeAt(problem, hop, stopped, trade);
    const { grown, amountIn, amountOut } = trade;
    const valueOfIn = values[tail] ?? 0;
    const valueOfOut = values[head] ?? 0;
    if (grown > 0 && stopped === logRate) {
      weights[at] = (valueOfIn * trade.depthIn * (1 + grown)) / 2;
    }
    objective += valueOfOut * amountOut - valueOfIn * amountIn;
    add(gradient, tail, -valueOfIn * amountIn);
    add(gradient, head, valueOfOut * amountOut);
  }
  gradient[buy] = 0;
  let imbalance = 0;
  for (let node = 0; node < gradient.length; node++) imbalance += Math.abs(gradient[node] ?? 0);
  state.objective = objective;
  state.imbalance = imbalance;
}

/** Works out the Laplacian where the stretch was last looked at. */
export function weigh({ problem, hops, count, weights, laplacian }: Dual): void {
  const { nodeCount: size, buy, hopIn, hopOut } = problem;
  laplacian.fill(0, 0, size ** 2);
  for (let at = 0; at < count; at++) {
    const weight = weights[at] ?? 0;
    if (weight === 0) continue;
    const hop = hops[at] ?? 0;
    const tail = hopIn[hop] ?? 0;
    const head = hopOut[hop] ?? 0;
    add(laplacian, tail * size + tail, weight);
    add(laplacian, head * size + head, weight);
    // The buy token's value is 1 throughout.
    if (head === buy) continue;
    add(laplacian, tail > head ? tail * size + head : head * size + tail, -weight);
  }
}
