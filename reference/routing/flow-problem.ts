import type { Address } from '../domain/address.ts';
import { bestLogValues } from './path.ts';
import { type Hop, hopsBetween, type PoolGraph, remember } from './pool-graph.ts';

/**
 * The pools between two tokens, laid out for the dual solver: one entry an arc,
 * that is a segment of a hop. Nodes are numbered; the sell token is 0, the buy
 * token 1.
 */
export type FlowProblem = {
  readonly hops: readonly Hop[];
  readonly nodeCount: number;
  /** Nodes of each hop's two tokens. */
  readonly hopIn: Int32Array;
  readonly hopOut: Int32Array;
  /** Arcs of hop `i` are those from `firstArc[i]` up to `firstArc[i + 1]`, best price first. */
  readonly firstArc: Int32Array;
  /** Of each arc, above the rate at which `bestLogValue` values its tokens: 0 on the best path, and negative beside it. */
  readonly logPrice: Float64Array;
  readonly depthIn: Float64Array;
  readonly depthOut: Float64Array;
  readonly span: Float64Array;
  /** 1 for an arc that stands for no liquidity; see {@link TAIL}. */
  readonly isTail: Uint8Array;
  /** Natural logarithm of what one base unit of each node buys along its best path, unmoved. */
  readonly bestLogValue: Float64Array;
};

/**
 * Depth of the tail behind each pool's last segment, as part of that segment's.
 * Tails never end, so that the dual always has a finite optimum; what they carry
 * is too little to count, and nothing of it reaches a plan.
 */
const TAIL = 1e-9;

/** Returns the problem of one pair, laid out once; without hops if the pair is disconnected. */
export function flowProblemOf(
  graph: PoolGraph,
  sellToken: Address,
  buyToken: Address,
): FlowProblem {
  return remember(graph, `flow ${sellToken} ${buyToken}`, () => {
    const hops = hopsBetween(graph, sellToken, buyToken);
    const nodes = new Map<Address, number>([
      [sellToken, 0],
      [buyToken, 1],
    ]);
    for (const { tokenIn } of hops) if (!nodes.has(tokenIn)) nodes.set(tokenIn, nodes.size);
    const nodeOf = (token: Address) => nodes.get(token) ?? 0;
    const hopIn = Int32Array.from(hops, (hop) => nodeOf(hop.tokenIn));
    const hopOut = Int32Array.from(hops, (hop) => nodeOf(hop.tokenOut));
    const values = bestLogValues(hops, buyToken);
    const logValueOf = (token: Address) => values.get(token) ?? 0;
    const arcs = hops.flatMap((hop) => {
      const logRate = logValueOf(hop.tokenIn) - logValueOf(hop.tokenOut);
      return arcsOf(hop).map((arc) => ({ ...arc, logPrice: arc.logPrice - logRate }));
    });
    const arcCounts = hops.map((hop) => hop.segments.length + 1);
    return {
      hops,
      nodeCount: nodes.size,
      hopIn,
      hopOut,
      firstArc: Int32Array.from([...arcCounts.keys(), hops.length], (hop) =>
        arcCounts.slice(0, hop).reduce((sum, count) => sum + count, 0),
      ),
      logPrice: Float64Array.from(arcs, (arc) => arc.logPrice),
      depthIn: Float64Array.from(arcs, (arc) => arc.depthIn),
      depthOut: Float64Array.from(arcs, (arc) => arc.depthOut),
      span: Float64Array.from(arcs, (arc) => arc.span),
      isTail: Uint8Array.from(arcs, (arc) => (arc.isTail ? 1 : 0)),
      bestLogValue: Float64Array.from(nodes.keys(), logValueOf),
    };
  });
}

function arcsOf({ segments }: Hop) {
  const arcs = segments.map((segment) => ({ ...segment, isTail: false }));
  const last = segments.at(-1);
  if (last !== undefined) {
    arcs.push({
      logPrice: last.logPrice - 2 * last.span,
      depthIn: last.depthIn * Math.exp(last.span) * TAIL,
      depthOut: last.depthOut * Math.exp(-last.span) * TAIL,
      span: Number.POSITIVE_INFINITY,
      isTail: true,
    });
  }
  return arcs;
}
