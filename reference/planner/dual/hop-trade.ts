import type { FlowProblem } from './flow-problem.ts';

/** What a hop does at some values of its two tokens; floats, in base units. */
export type HopTrade = {
  /** What the segment that its price stands in takes, for its price to come down by a part. */
  depthIn: number;
  /** Whether that is the tail, which stands for no liquidity. */
  isTail: boolean;
  /** Part by which that depth has grown; 0 where the price stands between two segments. */
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
    depthIn: 0,
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
  if (!((problem.logStart[hop] ?? 0) > logRate)) return false;
  if ((problem.firstEnd[hop] ?? 0) < logRate) {
    trade.depthIn = problem.firstDepthIn[hop] ?? 0;
    trade.isTail = false;
    trade.grown = growth(((problem.logStart[hop] ?? 0) - logRate) / 2);
    trade.segmentIn = trade.depthIn * trade.grown;
    trade.segmentOut = ((problem.firstDepthOut[hop] ?? 0) * trade.grown) / (1 + trade.grown);
    trade.amountIn = trade.segmentIn;
    trade.amountOut = trade.segmentOut;
    return true;
  }
  return tradeBeyond(problem, hop, logRate, trade);
}

/** Does the same beyond the first segment; apart, so that what is nearly always done is small enough for the engine to inline. */
function tradeBeyond(problem: FlowProblem, hop: number, logRate: number, trade: HopTrade): boolean {
  const ladder = problem.ladders[hop];
  if (ladder === undefined) return false;
  const counted = problem.logRate[hop] ?? 0;
  const { logPrice, logEnd, depthIn, depthOut, inputBefore, outputBefore } = ladder;
  const tail = logEnd.length - 1;
  let segment = 1;
  while (segment < tail && (logEnd[segment] ?? 0) - counted >= logRate) segment++;
  const gap = (logPrice[segment] ?? 0) - counted - logRate;
  trade.depthIn = depthIn[segment] ?? 0;
  trade.isTail = segment === tail;
  trade.grown = gap > 0 ? growth(gap / 2) : 0;
  trade.segmentIn = trade.depthIn * trade.grown;
  trade.segmentOut = ((depthOut[segment] ?? 0) * trade.grown) / (1 + trade.grown);
  trade.amountIn = (inputBefore[segment] ?? 0) + trade.segmentIn;
  trade.amountOut = (outputBefore[segment] ?? 0) + trade.segmentOut;
  return true;
}

/** Returns `expm1(x)`, for small `x` by its series, which is several times faster and as exact. */
function growth(x: number): number {
  if (x > 0.03) return Math.expm1(x);
  const third = x / 3;
  return (
    x *
    (1 + (x / 2) * (1 + third * (1 + (x / 4) * (1 + (x / 5) * (1 + (third / 2) * (1 + x / 7))))))
  );
}

/** By how much more a price comes down than floats tell, so that it is not too little: the last places of what it is counted from. */
const ROUNDING = 2 ** -51;

/** Returns how far the price of a hop, counted from its `logRate`, comes down at most until it has taken `amountIn`. */
export function logRateAfter(problem: FlowProblem, hop: number, amountIn: number): number {
  const ladder = problem.ladders[hop];
  if (ladder === undefined) return 0;
  const { logPrice, depthIn, inputBefore } = ladder;
  let segment = inputBefore.length - 1;
  while (segment > 0 && (inputBefore[segment] ?? 0) > amountIn) segment--;
  const taken = (amountIn - (inputBefore[segment] ?? 0)) / (depthIn[segment] ?? 1);
  const counted = problem.logRate[hop] ?? 0;
  const from = segment === 0 ? (problem.logStart[hop] ?? 0) : (logPrice[segment] ?? 0) - counted;
  const lost = segment === 0 ? Math.abs(from) : Math.abs(from) + Math.abs(counted);
  return from - 2 * Math.log1p(taken) - ROUNDING * lost;
}
