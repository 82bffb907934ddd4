import type { MeasuredTrade } from '../model/measured-trade.ts';
import { outcomeAt, quotesOf, receivedBps, settledAt } from './worth.ts';

const MOST = 5;
const REVERTED_BPS = -10_000;

/** Returns the ids of a service's trades that were furthest below their quotes; reverts come first. */
export function worstOf(trades: readonly MeasuredTrade[], service: number): number[] {
  const losses = quotesOf(trades, service).flatMap((quote) => {
    const settled = settledAt(quote, 0);
    const isReverted = outcomeAt(quote, 0)?.kind === 'reverted';
    const bps = settled ? receivedBps(quote, settled) : isReverted ? REVERTED_BPS : undefined;
    return bps !== undefined && bps < 0 ? [{ id: quote.trade.id, bps }] : [];
  });
  return losses
    .sort((a, b) => a.bps - b.bps)
    .slice(0, MOST)
    .map(({ id }) => id);
}

/** Returns the trades with only the plans of the worst ones: the others would make a report many times as large. */
export function keepWorstPlans(
  trades: readonly MeasuredTrade[],
  worst: readonly (readonly number[])[],
): MeasuredTrade[] {
  return trades.map((trade) => ({
    ...trade,
    answers: trade.answers.map((answer, service) => {
      if (answer.kind !== 'quoted' || worst[service]?.includes(trade.id)) return answer;
      const { plan: _, ...rest } = answer;
      return rest;
    }),
  }));
}
