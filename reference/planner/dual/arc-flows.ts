import { at } from '../domain/at.ts';
import { MIN_SHARE } from '../graph/network.ts';
import { type Edge, edgesBetween } from '../graph/reach.ts';
import { emptyTrade, tradeAt } from './arc-trade.ts';
import { add, type FlowProblem } from './flow-problem.ts';

/** Trades of all arcs at given dual prices, as floats in base units. */
export type ArcFlows = {
  readonly inputs: Float64Array;
  /** Value of each arc's input, relative to the value of the amount sold. */
  readonly shares: Float64Array;
  /** Value of each arc's output less the value of its input, in base units of the buy token. */
  readonly profits: Float64Array;
  /**
   * 1 if a small change in prices would not change the trade, because the rate lies between two
   * segments or the pool has no more liquidity.
   */
  readonly isFixed: Uint8Array;
  /** Share of each node's outflow that exceeds the liquidity of its arcs. */
  readonly overflow: Float64Array;
};

/** A flow, and the arcs that a plan for it would use. */
export type UsedFlow = { readonly flows: ArcFlows; readonly used: readonly number[] };

/**
 * Returns the arcs' trades when `input` is sold at the given dual prices. No arc trades below its
 * rate floor.
 */
export function arcFlowsAt(
  problem: FlowProblem,
  input: number,
  logPrices: Float64Array,
  rateFloors?: Float64Array,
): ArcFlows {
  const { nodeCount, sell, tails, heads } = problem;
  const inputs = new Float64Array(tails.length);
  const shares = new Float64Array(tails.length);
  const profits = new Float64Array(tails.length);
  const isFixed = new Uint8Array(tails.length);
  const spills = new Float64Array(nodeCount);
  const outflows = new Float64Array(nodeCount);
  const prices = logPrices.map((_, node) => problem.priceOf(node, logPrices));
  const whole = input * at(prices, sell);
  const trade = emptyTrade();
  for (let arc = 0; arc < tails.length; arc++) {
    const tail = at(tails, arc);
    const head = at(heads, arc);
    const logRate = at(logPrices, tail) - at(logPrices, head);
    const stopped = Math.max(rateFloors?.[arc] ?? logRate, logRate);
    if (!tradeAt(problem, arc, stopped, trade)) continue;
    let { amountIn, amountOut } = trade;
    if (trade.isPadding) {
      add(spills, tail, trade.segmentIn);
      amountIn -= trade.segmentIn;
      amountOut -= trade.segmentOut;
    }
    const spent = at(prices, tail) * amountIn;
    inputs[arc] = amountIn;
    add(outflows, tail, amountIn);
    shares[arc] = spent / whole;
    profits[arc] = at(prices, head) * amountOut - spent;
    isFixed[arc] = trade.growth > 0 && !trade.isPadding && stopped === logRate ? 0 : 1;
  }
  const overflow = spills.map((lost, node) => lost && lost / (lost + at(outflows, node)));
  return { inputs, shares, profits, isFixed, overflow };
}

/**
 * Minimum profit relative to the bound. An arc with a share below {@link MIN_SHARE} is worth a swap
 * only if its profit is larger.
 */
const MIN_RELATIVE_PROFIT = 1e-12;

/**
 * Returns the arcs that are worth a swap, and the arcs needed to connect them to the sell and buy
 * tokens.
 */
export function usedArcs(
  problem: FlowProblem,
  { shares, profits }: ArcFlows,
  bound: number,
): number[] {
  const used: number[] = [];
  for (let arc = 0; arc < shares.length; arc++) {
    const isWorth = at(shares, arc) >= MIN_SHARE || at(profits, arc) > MIN_RELATIVE_PROFIT * bound;
    if (isWorth) used.push(arc);
  }
  return withFeeders(problem, shares, used);
}

/**
 * Minimum flow relative to the largest flow into or out of a token. Smaller flows do not get a
 * swap.
 */
const MIN_FEEDER_SHARE = 1e-6;

/**
 * Returns the used arcs, plus arcs that close gaps: for each token that used arcs sell but none
 * buys, or buy but none sells.
 */
function withFeeders(
  { sell, buy, tails, heads }: FlowProblem,
  shares: Float64Array,
  used: readonly number[],
): number[] {
  const all = [...used];
  const addAt = (node: number, ends: Int32Array, except: number): void => {
    if (node === except || all.some((arc) => ends[arc] === node)) return;
    let largest = 0;
    for (const [arc, end] of ends.entries()) {
      if (end === node) largest = Math.max(largest, at(shares, arc));
    }
    for (const [arc, end] of ends.entries()) {
      const share = at(shares, arc);
      if (end === node && share > 0 && share >= MIN_FEEDER_SHARE * largest) all.push(arc);
    }
  };
  // The loop also visits the arcs that it adds.
  for (const arc of all) {
    addAt(at(tails, arc), heads, sell);
    addAt(at(heads, arc), tails, buy);
  }
  return all;
}

/** Returns arcs as edges between nodes. */
export function arcEdges(
  { tails, heads }: FlowProblem,
  arcs: readonly number[],
): (Edge & { readonly arc: number })[] {
  return arcs.map((arc) => ({ arc, tail: at(tails, arc), head: at(heads, arc) }));
}

/** Returns the used arcs that lie on a path from the sell token to the buy token. */
export function throughArcs(problem: FlowProblem, used: readonly number[]): number[] {
  const between = edgesBetween(arcEdges(problem, used), problem.sell, problem.buy);
  return between.map(({ arc }) => arc);
}
