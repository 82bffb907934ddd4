import type { MeasuredTrade } from '../model/measured-trade.ts';
import type { Duel, ServiceMetrics } from '../model/metrics.ts';
import type { StudySettings } from '../model/settings.ts';
import { duelOf } from './duel.ts';
import { outcomeAt, quotesOf, receivedBps, settledAt } from './quote.ts';
import { serviceMetrics } from './service-metrics.ts';

/** Summary of measured trades. */
export type Summary = {
  readonly metrics: ServiceMetrics[];
  readonly duels: Duel[];
  /** Ids of the worst trades, by service. */
  readonly worst: number[][];
};

/** Returns metrics for every service and for every pair of services. */
export function summarize(
  trades: readonly MeasuredTrade[],
  names: readonly string[],
  settings: StudySettings,
): Summary {
  return {
    metrics: names.map((name, at) => serviceMetrics(name, at, trades, settings)),
    duels: names.flatMap((_, one) =>
      names
        .slice(one + 1)
        .map((_, at) => duelOf([one, one + 1 + at], names, trades, settings.seed)),
    ),
    worst: names.map((_, at) => worstOf(trades, at)),
  };
}

const MAX_WORST_TRADES = 5;
const REVERTED_BPS = -10_000;

/**
 * Returns the IDs of a service's trades whose received amounts were furthest below their quotes.
 * Reverts come first.
 */
export function worstOf(trades: readonly MeasuredTrade[], service: number): number[] {
  const losses = quotesOf(trades, service).flatMap((quote) => {
    const settled = settledAt(quote, 0);
    const isReverted = outcomeAt(quote, 0)?.kind === 'reverted';
    const bps = settled ? receivedBps(quote, settled) : isReverted ? REVERTED_BPS : undefined;
    return bps !== undefined && bps < 0 ? [{ id: quote.trade.id, bps }] : [];
  });
  return losses
    .sort((a, b) => a.bps - b.bps)
    .slice(0, MAX_WORST_TRADES)
    .map(({ id }) => id);
}

/**
 * Removes the plans from all but the worst trades. With all plans, a report would be many times as
 * large.
 */
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
