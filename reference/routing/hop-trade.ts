import type { FlowProblem } from './flow-problem.ts';

/** What a hop does at some values of its two tokens; floats, in base units. */
export type HopTrade = {
  /** The segment that its price stands in. */
  segment: number;
  /** Whether that is the tail, which stands for no liquidity. */
  isTail: boolean;
  /** Part by which that segment's depth has grown; 0 where the price stands between two segments. */
  grown: number;
  /** What that segment takes of the amounts. */
  segmentIn: number;
  segmentOut: number;
  amountIn: number;
  amountOut: number;
};

/** Returns a trade for {@link tradeAt} to fill, again and again. */
export function emptyTrade(): HopTrade {
  return {
    segment: 0,
    isTail: false,
    grown: 0,
    segmentIn: 0,
    segmentOut: 0,
    amountIn: 0,
    amountOut: 0,
  };
}

/**
 * Leaves in `trade` what a hop does until its price has come down to `logRate`,
 * the difference of its tokens' `logValues`; false where it does nothing.
 */
export function tradeAt(
  problem: FlowProblem,
  hop: number,
  logRate: number,
  trade: HopTrade,
): boolean {
  const { firstSegment, logPrice } = problem;
  let segment = firstSegment[hop] ?? 0;
  if (!((logPrice[segment] ?? 0) > logRate)) return false;
  const { logEnd, depthIn, depthOut, inputBefore, outputBefore } = problem;
  const tail = (firstSegment[hop + 1] ?? 0) - 1;
  while (segment < tail && (logEnd[segment] ?? 0) >= logRate) segment++;
  const gap = (logPrice[segment] ?? 0) - logRate;
  const grown = gap > 0 ? Math.expm1(gap / 2) : 0;
  trade.segment = segment;
  trade.isTail = segment === tail;
  trade.grown = grown;
  trade.segmentIn = (depthIn[segment] ?? 0) * grown;
  trade.segmentOut = ((depthOut[segment] ?? 0) * grown) / (1 + grown);
  trade.amountIn = (inputBefore[segment] ?? 0) + trade.segmentIn;
  trade.amountOut = (outputBefore[segment] ?? 0) + trade.segmentOut;
  return true;
}
