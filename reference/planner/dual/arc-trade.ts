import { at } from '../domain/at.ts';
import type { FlowProblem } from './flow-problem.ts';

/** Trade of an arc at some dual prices; floats, in base units. */
export type ArcTrade = {
  amountIn: number;
  amountOut: number;
  /** The part of the amounts in the segment where the trade ends. */
  segmentIn: number;
  segmentOut: number;
  /** Depth of that segment, and the factor by which its reserve has grown, less 1; 0 if the rate is between two segments. */
  depthIn: number;
  grown: number;
  /** Whether that segment is the tail, which represents no liquidity. */
  isTail: boolean;
};

/** Returns an empty trade, to be filled by {@link tradeAt} any number of times. */
export function emptyTrade(): ArcTrade {
  return {
    amountIn: 0,
    amountOut: 0,
    segmentIn: 0,
    segmentOut: 0,
    depthIn: 0,
    grown: 0,
    isTail: false,
  };
}

/**
 * Solves an arc's subproblem: writes into `trade` the trade after which the arc's marginal rate
 * has fallen to `logRate`, the difference of its nodes' log prices. Returns false if it trades
 * nothing.
 */
export function tradeAt(
  problem: FlowProblem,
  arc: number,
  logRate: number,
  trade: ArcTrade,
): boolean {
  if (!(at(problem.startLogRate, arc) > logRate)) return false;
  if (!(at(problem.firstEndLogRate, arc) < logRate)) {
    return tradeBeyondFirst(problem, arc, logRate, trade);
  }
  trade.depthIn = at(problem.firstDepthIn, arc);
  trade.isTail = false;
  trade.grown = expm1((at(problem.startLogRate, arc) - logRate) / 2);
  trade.segmentIn = trade.depthIn * trade.grown;
  trade.segmentOut = (at(problem.firstDepthOut, arc) * trade.grown) / (1 + trade.grown);
  trade.amountIn = trade.segmentIn;
  trade.amountOut = trade.segmentOut;
  return true;
}

/** A separate function keeps the common case small enough for the engine to inline. */
function tradeBeyondFirst(
  problem: FlowProblem,
  arc: number,
  logRate: number,
  trade: ArcTrade,
): boolean {
  const ladder = problem.ladders[arc];
  if (ladder === undefined) return false;
  const reference = at(problem.referenceLogRate, arc);
  const { depthIn, depthOut, inputBefore, outputBefore } = ladder;
  const tail = depthIn.length - 1;
  let segment = 1;
  while (segment < tail && at(ladder.logEndRate, segment) - reference >= logRate) segment++;
  const gap = at(ladder.logRate, segment) - reference - logRate;
  trade.depthIn = at(depthIn, segment);
  trade.isTail = segment === tail;
  trade.grown = gap > 0 ? expm1(gap / 2) : 0;
  trade.segmentIn = trade.depthIn * trade.grown;
  trade.segmentOut = (at(depthOut, segment) * trade.grown) / (1 + trade.grown);
  trade.amountIn = at(inputBefore, segment) + trade.segmentIn;
  trade.amountOut = at(outputBefore, segment) + trade.segmentOut;
  return true;
}

/** Up to this argument, seven terms of the series are as exact as `Math.expm1`, and several times faster. */
const MAX_SERIES_X = 0.03;

function expm1(x: number): number {
  if (x > MAX_SERIES_X) return Math.expm1(x);
  const third = x / 3;
  return (
    x *
    (1 + (x / 2) * (1 + third * (1 + (x / 4) * (1 + (x / 5) * (1 + (third / 2) * (1 + x / 7))))))
  );
}

/** Floating-point error of a log rate, relative to the two log prices of which it is the difference. */
const LOG_RATE_ERROR = 2 ** -51;

/** Returns a lower bound of an arc's rate after an input of `amountIn`. */
export function logRateAfter(problem: FlowProblem, arc: number, amountIn: number): number {
  const ladder = problem.ladders[arc];
  if (ladder === undefined) return 0;
  const { logRate, depthIn, inputBefore } = ladder;
  let segment = inputBefore.length - 1;
  while (segment > 0 && at(inputBefore, segment) > amountIn) segment--;
  const grown = (amountIn - at(inputBefore, segment)) / (depthIn[segment] ?? 1);
  const reference = at(problem.referenceLogRate, arc);
  const from = segment === 0 ? at(problem.startLogRate, arc) : at(logRate, segment) - reference;
  const magnitude = segment === 0 ? Math.abs(from) : Math.abs(from) + Math.abs(reference);
  return from - 2 * Math.log1p(grown) - LOG_RATE_ERROR * magnitude;
}
