import type { Address } from '../domain/address.ts';
import { keptWith } from '../domain/kept-with.ts';
import { bestLogValues } from './path.ts';
import type { Hop, Pair } from './pool-graph.ts';

/**
 * The pools between two tokens, laid out for the dual solver: one entry a segment
 * of a hop, and behind each hop's segments its tail. Nodes are numbered; the sell
 * token is 0, the buy token 1.
 */
export type FlowProblem = {
  readonly hops: readonly Hop[];
  readonly nodeCount: number;
  /** Nodes of each hop's two tokens. */
  readonly hopIn: Int32Array;
  readonly hopOut: Int32Array;
  /** Segments of hop `i` are those from `firstSegment[i]` up to `firstSegment[i + 1]`, best price first, the tail last. */
  readonly firstSegment: Int32Array;
  /** Price at which each segment starts and ends, above the rate at which `bestLogValue` values its tokens: 0 on the best path, and negative beside it. */
  readonly logPrice: Float64Array;
  readonly logEnd: Float64Array;
  readonly depthIn: Float64Array;
  readonly depthOut: Float64Array;
  /** What the hop's segments before this one take and give, in base units. */
  readonly inputBefore: Float64Array;
  readonly outputBefore: Float64Array;
  /** Natural logarithm of what one base unit of each node buys along its best path, unmoved. */
  readonly bestLogValue: Float64Array;
};

/**
 * Depth of the tail behind each pool's last segment, as part of that segment's.
 * A tail stands for no liquidity: it never ends, so that the dual always has a
 * finite optimum; what it carries is too little to count, and nothing of it
 * reaches a plan.
 */
const TAIL = 1e-9;

/** Returns the problem of a pair; without hops if its tokens are not connected. */
export const flowProblemOf = keptWith(({ sellToken, buyToken, hops }: Pair): FlowProblem => {
  const nodes = new Map<Address, number>([
    [sellToken, 0],
    [buyToken, 1],
  ]);
  for (const { tokenIn } of hops) if (!nodes.has(tokenIn)) nodes.set(tokenIn, nodes.size);
  const nodeOf = (token: Address) => nodes.get(token) ?? 0;
  const values = bestLogValues(hops, buyToken);
  const logValueOf = (token: Address) => values.get(token) ?? 0;
  const segmentsByHop = hops.map((hop) =>
    placedSegments(hop, logValueOf(hop.tokenIn) - logValueOf(hop.tokenOut)),
  );
  const placed = segmentsByHop.flat();
  const firstSegment = new Int32Array(hops.length + 1);
  for (const [hop, { length }] of segmentsByHop.entries()) {
    firstSegment[hop + 1] = (firstSegment[hop] ?? 0) + length;
  }
  return {
    hops,
    nodeCount: nodes.size,
    hopIn: Int32Array.from(hops, (hop) => nodeOf(hop.tokenIn)),
    hopOut: Int32Array.from(hops, (hop) => nodeOf(hop.tokenOut)),
    firstSegment,
    logPrice: Float64Array.from(placed, (segment) => segment.logPrice),
    logEnd: Float64Array.from(placed, (segment) => segment.logEnd),
    depthIn: Float64Array.from(placed, (segment) => segment.depthIn),
    depthOut: Float64Array.from(placed, (segment) => segment.depthOut),
    inputBefore: Float64Array.from(placed, (segment) => segment.inputBefore),
    outputBefore: Float64Array.from(placed, (segment) => segment.outputBefore),
    bestLogValue: Float64Array.from(nodes.keys(), logValueOf),
  };
});

function placedSegments({ segments }: Hop, logRate: number) {
  let inputBefore = 0;
  let outputBefore = 0;
  const placed = segments.map(({ logPrice, depthIn, depthOut, span }) => {
    const segment = {
      logPrice: logPrice - logRate,
      logEnd: logPrice - logRate - 2 * span,
      depthIn,
      depthOut,
      inputBefore,
      outputBefore,
    };
    inputBefore += depthIn * Math.expm1(span);
    outputBefore -= depthOut * Math.expm1(-span);
    return segment;
  });
  const last = segments.at(-1);
  const logEnd = placed.at(-1)?.logEnd;
  if (last === undefined || logEnd === undefined) return placed;
  const tail = {
    logPrice: logEnd,
    logEnd: Number.NEGATIVE_INFINITY,
    depthIn: last.depthIn * Math.exp(last.span) * TAIL,
    depthOut: last.depthOut * Math.exp(-last.span) * TAIL,
    inputBefore,
    outputBefore,
  };
  return [...placed, tail];
}
