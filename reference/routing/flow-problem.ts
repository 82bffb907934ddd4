import type { Address } from '../domain/address.ts';
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
  readonly arcHop: Int32Array;
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
    const arcs = hops.flatMap((hop, index) => arcsOf(hop, index));
    return {
      hops,
      nodeCount: nodes.size,
      hopIn,
      hopOut,
      arcHop: Int32Array.from(arcs, (arc) => arc.hop),
      logPrice: Float64Array.from(arcs, (arc) => arc.logPrice),
      depthIn: Float64Array.from(arcs, (arc) => arc.depthIn),
      depthOut: Float64Array.from(arcs, (arc) => arc.depthOut),
      span: Float64Array.from(arcs, (arc) => arc.span),
      isTail: Uint8Array.from(arcs, (arc) => (arc.isTail ? 1 : 0)),
      bestLogValue: bestLogValues(hops, hopIn, hopOut, nodes.size),
    };
  });
}

function arcsOf({ segments }: Hop, hop: number) {
  const arcs = segments.map((segment) => ({ ...segment, hop, isTail: false }));
  const last = segments.at(-1);
  if (last !== undefined) {
    arcs.push({
      hop,
      logPrice: last.logPrice - 2 * last.span,
      depthIn: last.depthIn * Math.exp(last.span) * TAIL,
      depthOut: last.depthOut * Math.exp(-last.span) * TAIL,
      span: Number.POSITIVE_INFINITY,
      isTail: true,
    });
  }
  return arcs;
}

/** Prices by Bellman and Ford, over as many hops as there are nodes. */
function bestLogValues(
  hops: readonly Hop[],
  hopIn: Int32Array,
  hopOut: Int32Array,
  nodeCount: number,
): Float64Array {
  const values = new Float64Array(nodeCount).fill(Number.NEGATIVE_INFINITY);
  values[1] = 0;
  for (let round = 1; round < Math.min(nodeCount, 5); round++) {
    const before = values.slice();
    for (const [index, hop] of hops.entries()) {
      const tokenIn = hopIn[index] ?? 0;
      const value = hop.logPrice + (before[hopOut[index] ?? 0] ?? 0);
      if (value > (values[tokenIn] ?? 0)) values[tokenIn] = value;
    }
  }
  return values;
}
