import { at } from '../domain/at.ts';
import type { FlowProblem } from './flow-problem.ts';

/** Trade of an arc at given dual prices, as floats in base units. */
export type ArcTrade = {
  amountIn: number;
  amountOut: number;
  /** Amounts traded within the last segment. */
  segmentIn: number;
  segmentOut: number;
  /**
   * Depth of the last segment, and relative growth of its reserve. Both are 0 if the rate lies
   * between two segments.
   */
  depthIn: number;
  growth: number;
  /** True if the trade ends in the padding, which represents no liquidity. */
  isPadding: boolean;
};

/** Returns an empty trade for {@link tradeAt} to fill. One trade can be filled repeatedly. */
export function emptyTrade(): ArcTrade {
  return {
    amountIn: 0,
    amountOut: 0,
    segmentIn: 0,
    segmentOut: 0,
    depthIn: 0,
    growth: 0,
    isPadding: false,
  };
}

/**
 * Solves an arc's subproblem: writes into `trade` the trade after which the arc's marginal rate has
 * fallen to `logRate`. `logRate` is the difference between the log prices of the arc's nodes.
 * Returns false if the arc trades nothing.
 */
export function tradeAt(
  problem: FlowProblem,
  arc: number,
  logRate: number,
  trade: ArcTrade,
): boolean {
  const columns = problem.columns[arc];
  const startLogRate = at(problem.startLogRate, arc);
  if (columns === undefined || !(startLogRate > logRate)) return false;
  const reference = at(problem.referenceLogRate, arc);
  const padding = columns.depthIn.length - 1;
  let segment = 0;
  while (segment < padding && at(columns.logEndRate, segment) - reference >= logRate) segment++;
  // For the first segment, the start rate relative to the reference is more exact.
  const from = segment === 0 ? startLogRate : at(columns.logRate, segment) - reference;
  trade.depthIn = at(columns.depthIn, segment);
  trade.isPadding = segment === padding;
  trade.growth = Math.expm1(Math.max(0, from - logRate) / 2);
  trade.segmentIn = trade.depthIn * trade.growth;
  trade.segmentOut = (at(columns.depthOut, segment) * trade.growth) / (1 + trade.growth);
  trade.amountIn = at(columns.inputBefore, segment) + trade.segmentIn;
  trade.amountOut = at(columns.outputBefore, segment) + trade.segmentOut;
  return true;
}

const LOG_RATE_ERROR = 2 ** -51;

/** Returns a lower bound on the log rate of an arc after an input of `amountIn`. */
export function logRateAfter(problem: FlowProblem, arc: number, amountIn: number): number {
  const columns = problem.columns[arc];
  if (columns === undefined) return 0;
  const { logRate, depthIn, inputBefore } = columns;
  let segment = inputBefore.length - 1;
  while (segment > 0 && at(inputBefore, segment) > amountIn) segment--;
  const growth = (amountIn - at(inputBefore, segment)) / (depthIn[segment] ?? 1);
  const reference = at(problem.referenceLogRate, arc);
  const from = segment === 0 ? at(problem.startLogRate, arc) : at(logRate, segment) - reference;
  const magnitude = segment === 0 ? Math.abs(from) : Math.abs(from) + Math.abs(reference);
  return from - 2 * Math.log1p(growth) - LOG_RATE_ERROR * magnitude;
}
