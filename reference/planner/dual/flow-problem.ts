import { keptWith } from '../domain/kept-with.ts';
import type { Hop, Ladder } from '../graph/hop.ts';
import type { Layout } from '../graph/layout.ts';
import type { Pair } from '../graph/pool-graph.ts';

/** The pools between two tokens, laid out for the dual solver. Nodes are the tokens on its ways, in the order of elimination. */
export type FlowProblem = Layout & {
  readonly hops: readonly Hop[];
  readonly nodeCount: number;
  readonly ladders: readonly Ladder[];
  /** Rate at which `bestLogValue` values each hop's tokens: its prices count from there, so that floats tell near ones apart. */
  readonly logRate: Float64Array;
  /** Price at which each hop starts, counted so: 0 on the best path, and negative beside it. */
  readonly logStart: Float64Array;
  /** Price at which each hop's first segment ends, counted so, and its depth: most trades end within it. */
  readonly firstEnd: Float64Array;
  readonly firstDepthIn: Float64Array;
  readonly firstDepthOut: Float64Array;
  /** Natural logarithm of what one base unit of each node buys along its best path, unmoved. */
  readonly bestLogValue: Float64Array;
  /** No circle of trades pays: `bestLogValue` are prices at which no pool would trade. */
  readonly isFair: boolean;
};

/** Returns the problem of a pair; without hops if its tokens are not connected. */
export const flowProblemOf = keptWith((pair: Pair): FlowProblem => {
  const { hops, layout } = pair;
  const { tokens, buy, hopIn, hopOut } = layout;
  const column = () => new Float64Array(hops.length);
  const [logRate, logStart, firstEnd] = [column(), column(), column()];
  const [firstDepthIn, firstDepthOut] = [column(), column()];
  for (let at = 0; at < hops.length; at++) {
    const { logPrice, ladder } = hops[at] as Hop;
    logStart[at] = logPrice;
    firstEnd[at] = ladder.logEnd[0] ?? 0;
    firstDepthIn[at] = ladder.depthIn[0] ?? 0;
    firstDepthOut[at] = ladder.depthOut[0] ?? 0;
  }
  const { bestLogValue, isFair } = bestValues(tokens.length, buy, hopIn, hopOut, logStart);
  for (let hop = 0; hop < hops.length; hop++) {
    const rate = (bestLogValue[hopIn[hop] ?? 0] ?? 0) - (bestLogValue[hopOut[hop] ?? 0] ?? 0);
    logRate[hop] = rate;
    add(logStart, hop, -rate);
    add(firstEnd, hop, -rate);
  }
  return ofOneShape({
    ...layout,
    hops,
    nodeCount: tokens.length,
    ladders: hops.map(({ ladder }) => ladder),
    logRate,
    logStart,
    firstEnd,
    firstDepthIn,
    firstDepthOut,
    bestLogValue,
    isFair,
  });
});

/**
 * Returns the problem with its fields named one by one: to the engine, what spreads
 * make is each of a shape of its own, and what reads many shapes is slow.
 */
export function ofOneShape(problem: FlowProblem): FlowProblem {
  return {
    tokens: problem.tokens,
    sell: problem.sell,
    buy: problem.buy,
    hopIn: problem.hopIn,
    hopOut: problem.hopOut,
    fromSell: problem.fromSell,
    elimination: problem.elimination,
    hops: problem.hops,
    nodeCount: problem.nodeCount,
    ladders: problem.ladders,
    logRate: problem.logRate,
    logStart: problem.logStart,
    firstEnd: problem.firstEnd,
    firstDepthIn: problem.firstDepthIn,
    firstDepthOut: problem.firstDepthOut,
    bestLogValue: problem.bestLogValue,
    isFair: problem.isFair,
  };
}

export function add(array: Float64Array, index: number, amount: number): void {
  array[index] = (array[index] ?? 0) + amount;
}

/** For how many rounds more values may grow where circles of trades pay, once each node has one. */
const ROUNDS_OF_CIRCLES = 3;

/** Best values settle after as many rounds as there are nodes, if no circle of trades pays. */
function bestValues(
  nodeCount: number,
  buy: number,
  hopIn: Int32Array,
  hopOut: Int32Array,
  logPrices: Float64Array,
): { readonly bestLogValue: Float64Array; readonly isFair: boolean } {
  let values = new Float64Array(nodeCount).fill(Number.NEGATIVE_INFINITY);
  values[buy] = 0;
  let missing = new Set(hopIn).size;
  const finite = () => values.map((value) => (Number.isFinite(value) ? value : 0));
  let circling: Float64Array | undefined;
  for (let [round, sinceAll] = [0, 0]; round <= nodeCount; round++) {
    if (missing === 0 && sinceAll++ === ROUNDS_OF_CIRCLES) circling = finite();
    const next = values.slice();
    let hasGrown = false;
    for (let hop = 0; hop < hopIn.length; hop++) {
      const tail = hopIn[hop] ?? 0;
      const value = (logPrices[hop] ?? 0) + (values[hopOut[hop] ?? 0] ?? 0);
      const best = next[tail] ?? 0;
      if (value <= best + 1e-15 * Math.abs(best)) continue;
      if (best === Number.NEGATIVE_INFINITY) missing -= 1;
      next[tail] = value;
      hasGrown = true;
    }
    values = next;
    if (!hasGrown) return { bestLogValue: finite(), isFair: true };
  }
  return { bestLogValue: circling ?? finite(), isFair: false };
}

/** Returns what a base unit of a node is worth at `logValues`, in base units of the buy token. */
export function priceOf(
  { bestLogValue }: FlowProblem,
  node: number,
  logValues: Float64Array,
): number {
  return Math.exp((logValues[node] ?? 0) + (bestLogValue[node] ?? 0));
}
