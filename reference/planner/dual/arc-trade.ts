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
  const ladder = problem.ladders[arc];
  const startLogRate = at(problem.startLogRate, arc);
  if (ladder === undefined || !(startLogRate > logRate)) return false;
  const reference = at(problem.referenceLogRate, arc);
  const tail = ladder.depthIn.length - 1;
  let segment = 0;
  while (segment < tail && at(ladder.logEndRate, segment) - reference >= logRate) segment++;
  // The rate at which an arc starts is more exact relative to the reference.
  const from = segment === 0 ? startLogRate : at(ladder.logRate, segment) - reference;
  trade.depthIn = at(ladder.depthIn, segment);
  trade.isTail = segment === tail;
  trade.grown = Math.expm1(Math.max(0, from - logRate) / 2);
  trade.segmentIn = trade.depthIn * trade.grown;
  trade.segmentOut = (at(ladder.depthOut, segment) * trade.grown) / (1 + trade.grown);
  trade.amountIn = at(ladder.inputBefore, segment) + trade.segmentIn;
  trade.amountOut = at(ladder.outputBefore, segment) + trade.segmentOut;
  return true;
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
